// The types of a held message and of its revisions, and why a message is held.
import type { Outputs } from "../trpc.ts";

export type Review = Outputs["reviews"]["get"];
export type Revision = Review["revisions"][number];
/** What a member changes of a revision. `sha256`: of the version that the change began with. */
export type Change = Pick<Revision, "to" | "cc" | "bcc" | "subject" | "text" | "html" | "sha256">;
/** Where this tab keeps the change until it is saved or given up. */
export const placeOfChange = (id: string) => `change:${id}`;
type Policy = Outputs["reviews"]["policy"];

/** @param policy of its mailbox now; undefined while it is loaded. It may have changed since the message was held. */
export function reasonToHold(cause: Review["cause"], policy: Policy | undefined): string {
  if (cause === "key_revoked") return "The key that wrote it was revoked.";
  if (!policy) return "The settings ask for approval.";
  const whose = policy.own === null ? "The organization" : "The inbox";
  const review = policy.own ?? policy.organization;
  if (review === "all") return `${whose} asks for approval of every message of an agent.`;
  if (review === "first_contact") return `${whose} asks for approval of messages to new recipients.`;
  return "The settings asked for approval when it was sent. They no longer do.";
}
