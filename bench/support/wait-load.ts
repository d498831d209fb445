// Waiters and senders in one process, so that both use one clock: thousands of open requests, and SMTP sessions that
// send each of them its mail.
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { nowMs } from "./clock.ts";

/**
 * `open`: a connection for each request, which stays open; `requests[n]` is for mailbox `boxes[n]`. `mail`: one mail to each
 * of `boxes`, with `oneByOne` the next only when the one before was answered. `close`: all connections.
 */
export type WaitOrder =
  | { kind: "open"; port: number; boxes: number[]; requests: string[] }
  | { kind: "mail"; smtpPort: number; domain: string; boxes: number[]; sessions: number; oneByOne: boolean }
  | { kind: "close" };
/**
 * Of `mail`, for mailboxes with a waiter: from the `250` to the last octet of the answer, and from the first mail to
 * the last answer (to the last `250` without waiters). `reopened`: waits that were answered with 503 or timed out, which a
 * busy machine does, and were opened again.
 */
export type WaitAnswer = { latenciesMs: number[]; seconds: number; reopened: number; failed?: string };

const CONNECTING = 100;
/** A busy machine takes several times as long as a quiet one. */
const ANSWERS_WITHIN_MS = 180_000;
/** Of one wait. */
const REOPENED_MAX = 10;
const REOPEN_AFTER_MS = 500;
const REOPENED = /^HTTP\/1\.1 503 |"timed_out":true/;
const HEAD_END = "\r\n\r\n";
const FILLER = "A sign-in to your account was requested. If it was not you, you can ignore this mail.\r\n".repeat(10);

type Answered = Promise<{ atMs: number; text: string }>;
type Waiter = { port: number; request: string; socket: Socket; answered: Answered };
const waiters = new Map<number, Waiter>();
let mails = 0;
let reopened = 0;

/** Resolves with the whole answer. */
function readAnswer(socket: Socket): Answered {
  let text = "";
  return new Promise((resolve, reject) => {
    socket.setEncoding("latin1").on("data", (chunk) => {
      text += chunk;
      const head = text.indexOf(HEAD_END);
      const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, Math.max(head, 0)))?.[1];
      if (length && text.length >= head + HEAD_END.length + Number(length)) resolve({ atMs: nowMs(), text });
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error(`closed before its answer: ${text.slice(0, 300)}`)));
  });
}

async function inLanes<T>(items: T[], lanes: number, work: (item: T, lane: number) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: Math.min(lanes, items.length) }, async (_, lane) => {
      for (const item of left) await work(item, lane);
    }),
  );
}

async function openWait(port: number, request: string): Promise<Waiter> {
  const socket = connect(port, "127.0.0.1");
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  socket.write(request);
  const answered = readAnswer(socket);
  answered.catch(() => undefined); // passed to the sender of its mail
  return { port, request, socket, answered };
}

async function open({ port, boxes, requests }: Extract<WaitOrder, { kind: "open" }>): Promise<WaitAnswer> {
  const started = nowMs();
  await inLanes([...boxes.entries()], CONNECTING, async ([n, box]) => {
    waiters.set(box, await openWait(port, requests[n] ?? ""));
  });
  return { latenciesMs: [], seconds: (nowMs() - started) / 1000, reopened: 0 };
}

/** The same wait, which also finds the mail if it has arrived since `after`. */
function requestAfter(request: string, after: string): string {
  const [head = "", json = "{}"] = request.split(HEAD_END);
  const body = JSON.stringify({ ...(JSON.parse(json) as object), after });
  return `${head.replace(/Content-Length: \d+/, `Content-Length: ${body.length}`)}${HEAD_END}${body}`;
}

/** The answer to the wait of a mailbox that got its mail after `after`; the wait is opened again a limited number of times. */
async function answerOf(box: number, waiter: Waiter, after: string): Answered {
  let current = waiter;
  for (let opened = 0; ; opened += 1) {
    const answer = await current.answered;
    if (!REOPENED.test(answer.text) || opened >= REOPENED_MAX) return answer;
    reopened += 1;
    current.socket.destroy();
    await delay(REOPEN_AFTER_MS);
    current = await openWait(waiter.port, requestAfter(waiter.request, after));
    waiters.set(box, current);
  }
}

/** A session of SMTP, greeted: says lines and resolves with the last of `replies` replies. */
async function openSession(port: number) {
  const socket = connect(port, "127.0.0.1").setNoDelay(true).setEncoding("latin1");
  let text = "";
  let left = 1;
  let settle: ReturnType<typeof Promise.withResolvers<string>>;
  const hear = (replies: number) => {
    left = replies;
    settle = Promise.withResolvers<string>();
    return settle.promise;
  };
  const greeting = hear(1);
  socket.on("error", (error) => settle.reject(error));
  socket.on("data", (chunk) => {
    text += chunk;
    for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n")) {
      const line = text.slice(0, end);
      text = text.slice(end + 2);
      if (!/^[23]/.test(line)) settle.reject(new Error(line));
      else if (line[3] !== "-" && --left === 0) settle.resolve(line);
    }
  });
  await greeting;
  const say = (lines: string, replies = 1) => {
    const heard = hear(replies);
    socket.write(lines);
    return heard;
  };
  await say("EHLO bench.example\r\n");
  return { say, end: () => socket.end() };
}

function compose(to: string, subject: string): string {
  return (
    `From: Sign in <no-reply@sender.example>\r\nTo: <${to}>\r\nSubject: ${subject}\r\n` +
    `Date: Fri, 20 Nov 2026 12:00:00 +0000\r\nMessage-ID: <${nowMs()}.${mails}@sender.example>\r\n` +
    "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" +
    `Your verification code is 482913.\r\n\r\n${FILLER}\r\n.\r\n`
  );
}

async function mail(order: Extract<WaitOrder, { kind: "mail" }>): Promise<WaitAnswer> {
  const sessions = await Promise.all(Array.from({ length: order.sessions }, () => openSession(order.smtpPort)));
  const latenciesMs: number[] = [];
  const started = nowMs();
  let last = started;
  reopened = 0;
  const answers: Promise<void>[] = [];
  await inLanes(order.boxes, order.sessions, async (box, lane) => {
    const { say } = sessions[lane] as Awaited<ReturnType<typeof openSession>>;
    const to = `box-${box}@${order.domain}`;
    const subject = `Your code ${box} ${mails++}`;
    const waiter = waiters.get(box);
    const before = new Date().toISOString();
    await say(`MAIL FROM:<no-reply@sender.example>\r\nRCPT TO:<${to}>\r\nDATA\r\n`, 3);
    await say(compose(to, subject));
    const accepted = nowMs();
    last = Math.max(last, accepted);
    const answered =
      waiter &&
      answerOf(box, waiter, before).then(({ atMs, text }) => {
        if (!text.includes(subject)) throw new Error(`not the mail to box ${box}: ${text.slice(0, 600)}`);
        latenciesMs.push(atMs - accepted);
        last = Math.max(last, atMs);
        waiters.get(box)?.socket.destroy();
        waiters.delete(box);
      });
    if (order.oneByOne) await answered;
    else if (answered) answers.push(answered);
  });
  for (const session of sessions) session.end();
  await Promise.all(answers);
  return { latenciesMs, seconds: (last - started) / 1000, reopened };
}

function close(): WaitAnswer {
  for (const { socket } of waiters.values()) socket.destroy();
  waiters.clear();
  return { latenciesMs: [], seconds: 0, reopened: 0 };
}

async function within(work: Promise<WaitAnswer>): Promise<WaitAnswer> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`not done after ${ANSWERS_WITHIN_MS} ms`)), ANSWERS_WITHIN_MS);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

process.on("message", async (order: WaitOrder) => {
  try {
    const work = order.kind === "open" ? open(order) : order.kind === "mail" ? mail(order) : Promise.resolve(close());
    process.send?.(await within(work));
  } catch (error) {
    process.send?.({ ...close(), failed: error instanceof Error ? error.message : `${error}` });
  }
});
