// Explains a `not found` that comes from an id of the wrong kind: the id of a thread where a message is meant.
import type { ErrorCode } from "../base/errors/table.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId, type IdKind } from "../base/ids.ts";

/** What each id names, and the call that reads it. */
const THINGS: Partial<Record<IdKind, { noun: string; call: string }>> = {
  msg: { noun: "a message", call: "GET /v1/messages/{id}" },
  thr: { noun: "a thread", call: "GET /v1/threads/{id}" },
  inb: { noun: "a mailbox", call: "GET /v1/inboxes/{addr}" },
  drf: { noun: "a draft", call: "GET /v1/drafts/{id}" },
  att: { noun: "an attachment", call: "GET /v1/messages/{id}/attachments/{attachment_id}" },
  whk: { noun: "a webhook", call: "GET /v1/webhooks/{id}" },
  dlv: { noun: "a delivery", call: "GET /v1/webhooks/{id}/deliveries" },
  pay: { noun: "a purchase", call: "GET /v1/purchase/{id}" },
  evt: { noun: "an event", call: "GET /v1/events" },
  upl: { noun: "an upload", call: "`upload_id` of an attachment in POST /v1/inboxes/{addr}/send" },
};

/** By error: the fields of the input that may name what was not found, each with the kind of id that it takes. */
const NAMED: Partial<Record<ErrorCode, Record<string, IdKind | undefined>>> = {
  message_not_found: { id: "msg", in_reply_to: "msg" },
  thread_not_found: { id: "thr" },
  inbox_not_found: { addr: "inb", inbox: "inb", address: "inb" },
  draft_not_found: { id: "drf" },
  attachment_not_found: { attachment_id: "att", link: undefined },
  webhook_not_found: { id: "whk" },
  purchase_not_found: { id: "pay" },
};
const KINDS = Object.keys(THINGS) as IdKind[];

/** The error; if an id in the input is of another kind, it says which, and the call that takes it. The prefix of the id decides. */
export function explainMisplacedId(error: ServiceError, input: unknown): ServiceError {
  const named = NAMED[error.code];
  if (!named || typeof input !== "object" || input === null) return error;
  // A reply in a draft has both fields: `in_reply_to` is the message that was not found.
  const fields = "in_reply_to" in input && "in_reply_to" in named ? { in_reply_to: input.in_reply_to } : input;
  for (const [field, value] of Object.entries(fields)) {
    if (typeof value !== "string" || !Object.hasOwn(named, field)) continue;
    const kind = KINDS.find((each) => decodeId(each, value) !== undefined);
    const thing = kind && kind !== named[field] ? THINGS[kind] : undefined;
    if (!thing) continue;
    const message = `${error.message.replace(/\.$/, "")}: \`${field}\` is the id of ${thing.noun}.`;
    return new ServiceError(error.code, message, { fix: `For ${thing.noun}, use ${thing.call}.`, cause: error });
  }
  return error;
}
