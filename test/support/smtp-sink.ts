// An SMTP relay on loopback that keeps what it is given and fails on request.
import type { AddressInfo, Socket } from "node:net";
import { SMTPServer } from "smtp-server";

type Answer = { code: number; text: string };
type SinkMail = { from: string; to: string[]; raw: Buffer; isSmtpUtf8: boolean };

type SinkFaults = {
  /** The answer to MAIL FROM, RCPT TO, or the final dot, in place of 250. */
  mail?: Answer | undefined;
  rcpt?: ((address: string) => Answer | undefined) | undefined;
  data?: Answer | undefined;
  /** Where the relay stops answering, or drops the connection. The mail of a fault at `dot` was taken. */
  hang?: "connect" | "dot" | undefined;
  drop?: "connect" | "dot" | undefined;
  /** What the 250 after the final dot waits for. */
  until?: ((to: string[]) => Promise<unknown>) | undefined;
};

export type SmtpSink = Awaited<ReturnType<typeof startSmtpSink>>;

function refusal({ code, text }: Answer): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

/** @param options `keep: false`: only counts, for measuring; `answerAfterMs`: the pause between taking a mail and its 250; `smtpUtf8: false`: does not offer that */
export async function startSmtpSink(options: { keep?: boolean; answerAfterMs?: number; smtpUtf8?: boolean } = {}) {
  const faults: SinkFaults = {};
  const received: SinkMail[] = [];
  /** When each MAIL FROM came, on the clock of `performance`. */
  const begun: number[] = [];
  const sockets = new Set<Socket>();
  const counts = { mails: 0, connections: 0 };

  function taken(from: string, to: string[], chunks: Buffer[], isSmtpUtf8: boolean): void {
    counts.mails += 1;
    if (options.keep !== false) received.push({ from, to, raw: Buffer.concat(chunks), isSmtpUtf8 });
  }
  function dropAll(): void {
    for (const socket of sockets) socket.destroy();
  }

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    disableReverseLookup: true,
    hideSMTPUTF8: options.smtpUtf8 === false,
    // Providers gave out addresses with dots in odd places.
    lenientAddressParsing: true,
    onConnect(_session, answer) {
      if (faults.drop === "connect") dropAll();
      else if (faults.hang !== "connect") answer();
    },
    onMailFrom(_address, _session, answer) {
      if (options.keep !== false) begun.push(performance.now());
      answer(faults.mail && refusal(faults.mail));
    },
    onRcptTo({ address }, _session, answer) {
      const fault = faults.rcpt?.(address);
      answer(fault && refusal(fault));
    },
    onData(stream, session, answer) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        if (faults.data) return answer(refusal(faults.data));
        const { mailFrom, rcptTo, smtpUtf8 } = session.envelope;
        const to = rcptTo.map(({ address }) => address);
        taken(mailFrom ? mailFrom.address : "", to, chunks, smtpUtf8 === true);
        if (faults.drop === "dot") return dropAll();
        if (faults.hang === "dot") return;
        const queued = () => setTimeout(answer, options.answerAfterMs ?? 0, null, "2.0.0 Queued as sink-1");
        void (faults.until?.(to) ?? Promise.resolve()).then(queued);
      });
    },
  });
  server.server.on("connection", (socket: Socket) => {
    counts.connections += 1;
    sockets.add(socket.setNoDelay(true));
    socket.once("close", () => sockets.delete(socket));
  });
  // Clients that go away mid-session are part of what is tested.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;

  return {
    url: `smtp://127.0.0.1:${port}`,
    faults,
    received,
    begun,
    counts,
    /** Ends every connection, as a relay does with idle ones. */
    dropAll,
    async close() {
      dropAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
