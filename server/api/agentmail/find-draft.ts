// Finds AgentMail's drafts. One with a time is a scheduled message here, whose id is that of the draft.
import { replySubject } from "../../sending/subject.ts";
import { type Api, ifThere } from "../compat/route.ts";
import { isInbox } from "./inboxes.ts";
import { messageIn } from "./messages.ts";
import { type Draft, draftView, isScheduled, type Message, noDraft, type Scheduled, scheduledView } from "./views.ts";

/** Whether the id of a draft is that of a scheduled message. */
export const isMessageId = (id: string) => id.startsWith("msg_");

/**
 * A draft of either kind.
 * @param inbox undefined: of any mailbox
 * @throws ServiceError `draft_not_found`
 */
export async function getDraft(api: Api, inbox: string | undefined, id: string) {
  if (isMessageId(id)) return scheduledView(await findScheduled(api, inbox, id));
  return viewOf(api, await findUnscheduled(api, inbox, id));
}

/** @throws ServiceError `draft_not_found`, also for a draft of another mailbox */
export async function findUnscheduled(api: Api, inbox: string | undefined, id: string): Promise<Draft> {
  const draft = await api.call("drafts", "get", { id });
  if (!(await isInbox(api, inbox, draft.inbox))) throw noDraft();
  return draft;
}

/** @throws ServiceError `draft_not_found`, also for a message of another mailbox or one that has left */
export async function findScheduled(api: Api, inbox: string | undefined, id: string): Promise<Scheduled> {
  const message = await findMessage(api, inbox, id);
  if (!isScheduled(message)) throw noDraft();
  return message;
}

/** The message of a draft, also if it has left. @throws ServiceError `draft_not_found` */
export async function findMessage(api: Api, inbox: string | undefined, id: string): Promise<Message> {
  const asked = inbox === undefined ? api.call("messages", "get", { id }) : messageIn(api, inbox, id);
  const message = await ifThere(asked);
  if (!message) throw noDraft();
  return message;
}

/** Whether the subject of a draft is that of the message that it answers. */
export const hasSubjectOfAnswered = ({ in_reply_to, subject }: Pick<Draft, "in_reply_to" | "subject">) =>
  in_reply_to !== null && subject === null;

/** A reply without a subject gets that of its message when it is sent. */
export async function viewOf(api: Api, draft: Draft) {
  const id = draft.in_reply_to;
  if (id === null || !hasSubjectOfAnswered(draft)) return draftView(draft);
  const answered = await ifThere(api.call("messages", "get", { id }));
  return draftView(answered ? { ...draft, subject: replySubject(answered.subject) } : draft);
}
