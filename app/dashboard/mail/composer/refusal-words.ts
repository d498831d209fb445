// What refuses a message, and what to do, in words for people. The service's words are also for programs.
type Refusal = { code: string | undefined; message: string; fix?: string | undefined };
type RefusalWords = { what: string; fix: string };

const WHATS: Record<string, string> = {
  storage_quota_exceeded: "The inbox or your organization is full.",
};
const FIXES: Record<string, string> = {
  daily_send_cap_exceeded: "The cap resets at midnight UTC and grows with the age of the inbox.",
  recipient_suppressed: "Leave these addresses out, or lift their suppression if you know that they work again.",
  recipient_blocked: "Leave these addresses out, or change the entries under Lists.",
  sending_paused: "Resume sending at the top of this page first.",
  reply_refused: "To contact these people anyway, compose a new message.",
  thread_moved_on: "Read the new mail above, change your reply if you want to, then send it.",
  domain_not_ready: "Open Domains, publish the missing record, then check the domain.",
  too_many_scheduled: "Cancel scheduled messages in the Outbox, or wait until some have left.",
  storage_quota_exceeded:
    "Delete mail and empty the trash to make room, or ask the operator of the service for more storage.",
};

const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A text of the service, whose times are for programs, with times in the zone of the reader. */
function withLocalTimes(text: string): string {
  return text.replace(INSTANT, (at) =>
    new Date(at).toLocaleString("en", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" }),
  );
}

/** Names of fields, and calls. */
const FOR_PROGRAMS = /`|\b(?:GET|POST|PUT|PATCH|DELETE) \/|Retry-After/;
const OF_SENDING = "The message was not sent to anyone.";

/** The sentences of a text that are not for programs. */
function forPeople(text: string): string {
  return text
    .split(/(?<=[.!?])\s+/)
    .filter((sentence) => sentence !== OF_SENDING && !FOR_PROGRAMS.test(sentence))
    .join(" ");
}

export function refusalWords({ code, message, fix = "" }: Refusal): RefusalWords {
  const what = WHATS[code ?? ""] ?? (withLocalTimes(forPeople(message)) || "The service refuses this message.");
  return { what, fix: FIXES[code ?? ""] ?? forPeople(fix) };
}
