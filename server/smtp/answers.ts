// The replies that refuse a connection, a command or a mail, by the reason under which they are counted.
import type { SMTPServerError } from "smtp-server";

/** Reason → reply. The reasons are the label values of `mailberth_smtp_refusals_total`. */
const REFUSALS = {
  connections: [421, "4.3.2 Too many connections to this server, try again later"],
  address_connections: [421, "4.7.0 Too many connections from your address, close some or try again later"],
  banned: [421, "4.7.1 Your address named too many unknown recipients, try again in a minute"],
  guesses: [452, "4.5.3 Too many recipients without a mailbox of their own, send to the others later"],
  copies: [452, "4.5.3 Too many recipients for a mail of this size, send it to the others in another mail"],
  commands: [421, "4.7.0 Too many commands without a mail, connect again"],
  errors: [421, "4.7.0 Too many errors, connect again"],
  mails: [421, "4.7.0 Too many mails in this session, connect again"],
  idle: [421, "4.4.2 No complete command in time, connect again"],
  slow_data: [421, "4.4.2 The mail took too long, send it again"],
  long_session: [421, "4.4.2 Session too long"],
  handshakes: [454, "4.7.0 TLS is not available now, try again later"],
  memory: [452, "4.3.1 Too much mail in progress, try again later"],
  address_memory: [452, "4.3.1 Too much mail in progress from your address, try again later"],
  quota: [452, "4.2.2 The mailbox's storage quota is exceeded, try again later"],
  blocked: [550, "5.7.1 This sender may not write to this mailbox"],
  undecided: [451, "4.7.1 The sender could not be authenticated now, try again later"],
  database_away: [421, "4.3.0 Service not available, try again later"],
  database: [451, "4.3.0 Try again later"],
  failed: [451, "4.3.0 The mail could not be processed, try again later"],
  storage: [451, "4.3.0 The mail could not be stored now, try again later"],
  disk_full: [452, "4.3.1 No space left, try again later"],
  stopping: [421, "4.3.2 The service is stopping, try again later"],
} as const satisfies Record<string, readonly [code: number, text: string]>;

export type Refusal = keyof typeof REFUSALS;
export const REFUSAL_REASONS = Object.keys(REFUSALS) as Refusal[];

export function refusalOf(reason: Refusal): readonly [code: number, text: string] {
  return REFUSALS[reason];
}

/** A reply in the form that smtp-server's callbacks expect. */
export function reply(code: number, text: string): SMTPServerError {
  return Object.assign(new Error(text), { responseCode: code });
}
