// A relay on loopback, and what it has of each message.
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import type { Taken } from "./contract.ts";

/** @param markOf reads the API id from the headers of a mail */
export async function startRelay(markOf: (header: string) => string | undefined = () => undefined) {
  const sink = await startSmtpSink();
  return {
    settings: { OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url },
    close: sink.close,
    taken(id: string): Taken[] {
      return sink.received.flatMap(({ from, to: [to = ""], raw }) => {
        const header = raw.toString("latin1").split("\r\n\r\n")[0] ?? "";
        const messageId = /^Message-ID: <(.*)>/im.exec(header)?.[1] ?? "";
        return messageId.startsWith(id) ? [{ id, to, messageId, returnPath: from, mark: markOf(header) }] : [];
      });
    },
  };
}
