// Reads the envelope of the mail that a session is sending.
import type { SMTPServerAddress } from "smtp-server";
import type { Session } from "./session.ts";

/** The size that the client announced; 0 if it did not. */
export function declaredBytes({ args }: SMTPServerAddress): number {
  return args ? Number(args.SIZE ?? 0) : 0;
}

export function recipientsOf({ connection }: Session): string[] {
  return connection.session.envelope.rcptTo.map(({ address }) => address);
}

export function senderOf({ connection }: Session): string {
  const { mailFrom } = connection.session.envelope;
  return mailFrom ? mailFrom.address : "";
}
