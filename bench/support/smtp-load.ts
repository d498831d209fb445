// SMTP load in a separate process: sessions that send mails one after the other, for a given time.
import { connect, type Socket } from "node:net";
import { nowMs } from "./clock.ts";
import { type Compose, type Corpus, createCorpus, type Signer } from "./corpus.ts";

/**
 * `kept`: a session hands over mail after mail. `new`: it closes after each and connects anew. `pipelined`: kept, and
 * MAIL, RCPT and DATA leave in one write (RFC 2920), as big senders do.
 */
export type SmtpMode = "kept" | "new" | "pipelined";
/** `perSecond`: mails begin at this pace; without it as fast as the sessions allow. Mails are plain unless `corpus` says. */
export type SmtpOrder = {
  port: number;
  sessions: number;
  mode: SmtpMode;
  seconds: number;
  perSecond?: number;
  tag: string;
  domain: string;
  boxes: number;
  corpus?: Corpus;
  signer?: Signer;
};
/** Times are those of the machine's monotonic clock; `sentMs[n]`: the last octet of mail n went to the socket; `givenMs[n]`: its `250` came. */
export type SmtpAnswer = {
  sentMs: number[];
  givenMs: number[];
  startedMs: number;
  acceptedMs: number;
  failed?: string;
};

const PACE_EVERY_MS = 1;
/** Servers bound the mails of a session; a kept one begins anew after this many. */
const SESSION_MAILS = 1_000;

/** Calls `onReply` with each complete reply: its code, and its last line. */
function replyReader(onReply: (code: string, line: string) => void): (chunk: string) => void {
  let text = "";
  return (chunk) => {
    text += chunk;
    for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n")) {
      const line = text.slice(0, end);
      text = text.slice(end + 2);
      if (line[3] !== "-") onReply(line.slice(0, 3), line);
    }
  };
}

/** Mails that may begin now, and who waits for one. */
function pacer({ perSecond, seconds }: SmtpOrder) {
  const end = nowMs() + seconds * 1000;
  const waiting: (() => void)[] = [];
  let begun = 0;
  const started = nowMs();
  const isDue = () => perSecond === undefined || begun < ((nowMs() - started) / 1000) * perSecond;
  const timer = setInterval(() => {
    while (waiting.length > 0 && (nowMs() >= end || isDue())) waiting.shift()?.();
  }, PACE_EVERY_MS);
  return {
    stop: () => clearInterval(timer),
    /** Calls back with the number of the next mail, or with undefined when time is up. */
    take(give: (n: number | undefined) => void): void {
      if (nowMs() >= end) give(undefined);
      else if (isDue()) give(begun++);
      else waiting.push(() => this.take(give));
    },
  };
}

type Run = {
  order: SmtpOrder;
  answer: SmtpAnswer;
  compose: Compose;
  pace: ReturnType<typeof pacer>;
};
type Step = [text: string, code: string];

/** Writes what is to be said, and calls on when the reply with the awaited code has come; any other reply fails. */
function talker(socket: Socket, fail: (why: string) => void) {
  let awaited: [code: string, then: () => void][] = [];
  socket.on(
    "data",
    replyReader((code, line) => {
      const [next, ...rest] = awaited;
      awaited = rest;
      if (next?.[0] === code) next[1]();
      else fail(`expected ${next?.[0] ?? "nothing"}: ${line}`);
    }),
  );
  const say = (text: string, code: string, then: () => void) => {
    awaited = [[code, then]];
    if (text) socket.write(text, "latin1");
  };
  return {
    say,
    oneByOne([step, ...rest]: Step[], then: () => void): void {
      if (step) say(step[0], step[1], () => this.oneByOne(rest, then));
      else then();
    },
    atOnce(steps: Step[], then: () => void): void {
      awaited = steps.map(([, code], i) => [code, i === steps.length - 1 ? then : () => undefined]);
      socket.write(steps.map(([text]) => text).join(""), "latin1");
    },
    give(data: Buffer, then: () => void): void {
      awaited = [["250", then]];
      socket.write(data);
    },
  };
}

/** One connection that hands over mail `first` and, if it is kept, those after it. */
function session({ order, answer, compose, pace }: Run, first: number, done: () => void): void {
  const socket = connect(order.port, "127.0.0.1");
  socket.setNoDelay(true);
  socket.setEncoding("latin1");
  let handed = 0;
  const fail = (why: string) => {
    answer.failed ??= why;
    socket.destroy();
  };
  const talk = talker(socket, fail);
  const quit = () => talk.say("QUIT\r\n", "221", () => socket.end());
  const give = (n: number, data: Buffer) => {
    talk.give(data, () => {
      answer.acceptedMs = nowMs();
      answer.givenMs[n] = answer.acceptedMs;
      handed += 1;
      if (order.mode === "new" || handed >= SESSION_MAILS) quit();
      else pace.take((next) => (next === undefined ? quit() : mail(next)));
    });
    answer.sentMs[n] = nowMs();
  };
  const mail = (n: number) => {
    const to = `box-${n % order.boxes}@${order.domain}`;
    const data = compose({ tag: order.tag, n, to });
    const steps: Step[] = [
      ["MAIL FROM:<ada@sender.example>\r\n", "250"],
      [`RCPT TO:<${to}>\r\n`, "250"],
      ["DATA\r\n", "354"],
    ];
    const begin = order.mode === "pipelined" ? talk.atOnce : talk.oneByOne.bind(talk);
    begin(steps, () => give(n, data));
  };
  talk.say("", "220", () => talk.say("EHLO bench.example\r\n", "250", () => mail(first)));
  socket.on("error", (error) => fail(error.message));
  socket.on("close", done);
}

async function run(order: SmtpOrder): Promise<SmtpAnswer> {
  const compose = await createCorpus(order.corpus ?? "plain", order.signer);
  const answer: SmtpAnswer = { sentMs: [], givenMs: [], startedMs: nowMs(), acceptedMs: nowMs() };
  const pace = pacer(order);
  const state: Run = { order, answer, compose, pace };
  // It connects only for a mail: servers count connections without one.
  const lane = (done: () => void): void =>
    pace.take((n) => (n === undefined || answer.failed !== undefined ? done() : session(state, n, () => lane(done))));
  await Promise.all(Array.from({ length: order.sessions }, () => new Promise<void>(lane)));
  pace.stop();
  return answer;
}

process.on("message", async (order: SmtpOrder) => process.send?.(await run(order)));
