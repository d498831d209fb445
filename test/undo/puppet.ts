// A key that does random things, as an agent that went wrong would.
import type { Random } from "#test/campaign/random.ts";
import { inboxPath } from "#test/support/api.ts";

const HOUR_MS = 3_600_000;
const CALLERS = 4;
const KEYS_MAX = 4;
/** Of two calls that meet, one may have to repeat. */
const UNAVAILABLE = 503;
const CHILD_SCOPES = [
  "mailbox:read",
  "mailbox:send",
  "mailbox:delete",
  "mailbox:create",
  "webhook:write",
  "list:manage",
];

/** What there was before: ids of received messages, of their threads, of scheduled mail, drafts and webhooks. */
export type Stage = {
  address: string;
  key: string;
  messages: string[];
  threads: string[];
  scheduled: string[];
  drafts: string[];
  webhooks: string[];
};
type Body = { id?: string; revision?: number; address?: string; key?: string };
type Call = [method: string, path: string, json?: object | undefined, then?: (made: Body) => void];

/**
 * Makes `count` calls, some at the same time. A call without an answer counts: the process may have been killed.
 * @param urlAt which service gets the call with this number
 * @returns the answers that no caller may get
 */
export async function play(
  urlAt: (n: number) => string,
  stage: Stage,
  { count, random }: { count: number; random: Random },
): Promise<string[]> {
  const { address, messages, threads } = stage;
  const keys = [stage.key];
  const drafts = new Map<string, number>();
  const [sent, webhooks, inboxes]: [string[], string[], string[]] = [[], [], []];
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random.next() * items.length)];
  const word = () => `w${random.between(0, 7)}`;
  const files = () => [{ filename: "a.txt", content_type: "text/plain", content_base64: btoa(word()) }];
  const later = () => new Date(Date.now() + HOUR_MS * (1 + random.next())).toISOString();
  const url = () => `https://${word()}.example/${random.next()}`;
  const push = (list: string[]) => (made: Body) => void list.push(made.id ?? "");
  const drafted = ({ id = "", revision = 1 }: Body) => void drafts.set(id, revision);
  const send = inboxPath(address, "/send");
  const message = () => `/v1/messages/${pick(messages)}`;
  const draft = (call: (path: string, revision: number) => Call): Call | undefined => {
    const [id, revision = 1] = pick([...drafts]) ?? [];
    return id === undefined ? undefined : call(`/v1/drafts/${id}`, revision);
  };
  const rarely = (call: () => Call | undefined) => (random.next() < 0.3 ? call() : undefined);
  const calls: (() => Call | undefined)[] = [
    () => ["PATCH", message(), { labels: [word(), word()] }],
    () => ["PATCH", message(), { read: random.next() < 0.5 }],
    () => ["PATCH", "/v1/messages", { ids: [pick(messages), pick(messages)], add_labels: [word()] }],
    () => ["PATCH", "/v1/messages", { ids: [pick(messages), pick(messages)], remove_labels: [word()], read: true }],
    () => ["DELETE", message()],
    () => ["DELETE", message()],
    () => ["DELETE", `/v1/threads/${pick(threads)}`],
    () => ["POST", `${message()}/restore`],
    () => ["POST", `${message()}/restore`],
    () => ["POST", `${message()}/restore`],
    () => ["POST", send, { to: `${word()}@else.example`, text: word() }, push(sent)],
    () => ["POST", send, { to: `${word()}@else.example`, text: word(), send_at: later() }, push(sent)],
    () => ["POST", `${message()}/reply`, { text: word(), attachments: files() }, push(sent)],
    () => ["PATCH", `/v1/messages/${pick([...sent, ...stage.scheduled])}`, { send_at: later() }],
    () => ["PATCH", `/v1/messages/${pick(sent)}`, { labels: [word()] }],
    () => ["DELETE", `/v1/messages/${pick(sent)}`],
    () => ["POST", `/v1/messages/${pick(sent)}/cancel`],
    () => ["POST", "/v1/drafts", { inbox: address, to: "d@else.example", text: word(), attachments: files() }, drafted],
    () => draft((path, revision) => ["PATCH", path, { revision, text: word() }, drafted]),
    () => draft((path, revision) => ["PATCH", path, { revision, attachments: files() }, drafted]),
    () => draft((path) => ["DELETE", path]),
    () => draft((path, revision) => ["POST", `${path}/send`, { revision }]),
    () => ["POST", "/v1/lists/receive/block", { entry: `${word()}.example` }],
    () => ["DELETE", `/v1/lists/receive/block?entry=${word()}.example`],
    () => ["POST", "/v1/lists/receive/block", { entry: `${word()}.example`, inbox: address }],
    () => ["POST", "/v1/suppressions", { address: `${word()}@gone.example` }],
    () => ["DELETE", `/v1/suppressions/${word()}%40gone.example`],
    () => ["POST", "/v1/webhooks", { url: url(), events: ["message.received"] }, push(webhooks)],
    () => ["PATCH", `/v1/webhooks/${pick(webhooks)}`, { url: url() }],
    () => ["DELETE", `/v1/webhooks/${pick(webhooks)}`],
    () => ["PATCH", inboxPath(address), { display_name: word(), metadata: { [word()]: word() } }],
    () => rarely(() => ["POST", "/v1/inboxes", {}, (made) => void inboxes.push(made.address ?? "")]),
    () => rarely(() => (inboxes.length > 0 ? ["DELETE", inboxPath(pick(inboxes) ?? "")] : undefined)),
    () =>
      keys.length < KEYS_MAX
        ? ["POST", "/v1/keys", { scopes: CHILD_SCOPES }, (made) => void keys.push(made.key ?? stage.key)]
        : undefined,
  ];
  for (const id of stage.drafts) drafts.set(id, 1);
  webhooks.push(...stage.webhooks);

  const faults: string[] = [];
  let made = 0;
  async function caller(): Promise<void> {
    while (made < count) {
      const call = pick(calls)?.();
      if (!call) continue;
      made += 1;
      const [method, path, json, then] = call;
      const key = (random.next() < 0.8 ? undefined : pick(keys)) ?? stage.key;
      try {
        const answer = await fetch(urlAt(made) + path, {
          method,
          headers: { Authorization: `Bearer ${key}`, ...(json && { "Content-Type": "application/json" }) },
          ...(json && { body: JSON.stringify(json) }),
        });
        const text = await answer.text();
        if (answer.ok) then?.(JSON.parse(text));
        else if (answer.status >= 500 && answer.status !== UNAVAILABLE)
          faults.push(`${method} ${path}: ${answer.status} ${text}`);
      } catch {
        // Its process was killed.
      }
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return faults;
}
