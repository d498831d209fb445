// Attacks over SMTP: many connections, mails that never end, unknown recipients, and mails that are costly to read.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attack, Target } from "./siege-http.ts";

const REPLY_MS = 20_000;
const CONNECTIONS = 1_000;
/** Connections are held this long by each of the lanes, unless the server ends them. */
const HOLD_MS = 5_000;
const LOOK_MS = 200;
const CONNECT_LANES = 50;
const UNFINISHED = 11;
const UNFINISHED_BYTES = 24 * 1024 * 1024;
const PIECE = Buffer.from(`${"a".repeat(998)}\r\n`.repeat(64));
const UNKNOWN = 3_000;
const UNKNOWN_LANES = 6;
const CAUGHT_LANES = 12;
const CRAFTED = 30;
const CRAFTED_LANES = 3;
const PARTS = 20_000;
const DEPTH = 2_000;
const PDF_BYTES = 4 * 1024 * 1024;
const RECIPIENTS = 30_000;

type Session = {
  socket: Socket;
  say(line: string | Buffer): Promise<string>;
  greeting: Promise<string>;
  ended(): boolean;
};

/** Speaks SMTP; each reply is its last line, or `closed`. */
function openSession(port: number, localAddress: string): Session {
  const socket = connect({ host: "127.0.0.1", port, localAddress });
  let text = "";
  let ended = false;
  let settle: (reply: string) => void = () => undefined;
  const hear = () =>
    new Promise<string>((resolve) => {
      const timer = setTimeout(resolve, REPLY_MS, "no reply");
      settle = (reply) => {
        clearTimeout(timer);
        resolve(reply);
      };
      if (ended) settle("closed");
    });
  const close = () => {
    ended = true;
    settle("closed");
  };
  socket.setEncoding("latin1").on("error", close).on("close", close);
  socket.on("data", (chunk) => {
    text += chunk;
    for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n")) {
      const line = text.slice(0, end);
      text = text.slice(end + 2);
      if (line[3] !== "-") settle(line);
    }
  });
  const greeting = hear();
  return {
    socket,
    greeting,
    ended: () => ended,
    say(line) {
      const heard = hear();
      if (!ended) socket.write(typeof line === "string" ? `${line}\r\n` : line);
      return heard;
    },
  };
}

const codeOf = (reply: string) => (/^\d{3}/.test(reply) ? reply.slice(0, 3) : reply);

/** Up to the reply to DATA. @returns that reply, or the first refusal */
async function begin(session: Session, to: string): Promise<string> {
  let reply = await session.greeting;
  for (const line of ["EHLO attack.example", "MAIL FROM:<a@attack.example>", `RCPT TO:<${to}>`, "DATA"]) {
    if (!/^[23]/.test(reply)) return reply;
    reply = await session.say(line);
  }
  return reply;
}

async function holdConnections({ smtpPort }: Target): Promise<string> {
  const sessions = Array.from({ length: CONNECTIONS / CONNECT_LANES }, () => openSession(smtpPort, "127.0.0.8"));
  const greetings = await Promise.all(sessions.map(({ greeting }) => greeting));
  await sleep(HOLD_MS);
  for (const { socket } of sessions) socket.destroy();
  const greeted = greetings.filter((reply) => reply.startsWith("220")).length;
  return greeted === sessions.length ? "all greeted" : greeted === 0 ? "none greeted" : "some greeted";
}

/** Sends 24 MB as fast as the server reads, and then nothing, until the server or the siege ends. */
async function leaveUnfinished({ smtpPort, mailbox }: Target, isOver: () => boolean): Promise<string> {
  const session = openSession(smtpPort, "127.0.0.9");
  const reply = await begin(session, mailbox);
  for (let sent = 0; reply.startsWith("354") && sent < UNFINISHED_BYTES && !session.ended(); sent += PIECE.length) {
    if (session.socket.write(PIECE)) continue;
    const waited = AbortSignal.timeout(HOLD_MS);
    await once(session.socket, "drain", { signal: waited }).catch(() => undefined);
  }
  while (reply.startsWith("354") && !session.ended() && !isOver()) await sleep(LOOK_MS);
  const cut = session.ended();
  session.socket.destroy();
  return reply.startsWith("354") ? (cut ? "354, then closed" : "354, held to the end") : codeOf(reply);
}

/** Sessions that name addresses at a domain until they are closed. @returns how many were named, and the last reply */
async function guess(
  { smtpPort }: Target,
  from: { localAddress: string; domain: string },
  n: number,
): Promise<{ named: number; reply: string }> {
  const session = openSession(smtpPort, from.localAddress);
  let reply = await session.greeting;
  for (const line of ["EHLO attack.example", "MAIL FROM:<a@attack.example>"]) {
    if (reply.startsWith("2")) reply = await session.say(line);
  }
  let named = 0;
  while (named < UNKNOWN / UNKNOWN_LANES && /^(?:2|550)/.test(reply)) {
    reply = await session.say(`RCPT TO:<guess-${n}-${named++}@${from.domain}>`);
  }
  session.socket.destroy();
  return { named, reply };
}

async function guessUnknown(target: Target, n: number): Promise<string> {
  const domain = target.mailbox.slice(target.mailbox.indexOf("@") + 1);
  const { named, reply } = await guess(target, { localAddress: "127.0.0.10", domain }, n);
  return named > 100 ? "over 100 answered" : `closed by ${codeOf(reply)}`;
}

/** Each guess is a right address. Another client address for each lane, as an attacker with many machines has. */
async function guessCaught(target: Target, n: number): Promise<string> {
  const localAddress = `127.0.1.${(n % CAUGHT_LANES) + 1}`;
  const { named, reply } = await guess(target, { localAddress, domain: target.caught }, n);
  return `${named} named, then ${codeOf(reply)}`;
}

const headers = (subject: string, type: string) =>
  `From: a@attack.example\r\nSubject: ${subject}\r\nMessage-ID: <${subject}.${process.hrtime.bigint()}@attack.example>\r\nMIME-Version: 1.0\r\n${type}\r\n\r\n`;

/** Mails that cost far more to read than to send. */
const CRAFTS: ((n: number) => string)[] = [
  (n) =>
    headers(`parts-${n}`, `Content-Type: multipart/mixed; boundary="b"`) +
    "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n".repeat(PARTS) +
    "--b--\r\n",
  (n) =>
    headers(`deep-${n}`, `Content-Type: multipart/mixed; boundary="b0"`) +
    Array.from(
      { length: DEPTH },
      (_, d) => `--b${d}\r\nContent-Type: multipart/mixed; boundary="b${d + 1}"\r\n\r\n`,
    ).join(""),
  (n) => headers(`html-${n}`, "Content-Type: text/html") + "<div><b>a".repeat(100_000),
  (n) =>
    headers(`pdf-${n}`, `Content-Type: application/pdf; name="a.pdf"\r\nContent-Transfer-Encoding: base64`) +
    `${Buffer.alloc(57, "%PDF").toString("base64")}\r\n`.repeat(PDF_BYTES / 78),
  (n) =>
    `To: ${Array.from({ length: RECIPIENTS }, (_, d) => `"a, (${d}" <a${d}@x.example>`).join(",\r\n ")}\r\n` +
    `${headers(`list-${n}`, "Content-Type: text/plain")}x\r\n`,
];

async function craft({ smtpPort, mailbox }: Target, n: number): Promise<string> {
  const session = openSession(smtpPort, "127.0.0.11");
  const reply = await begin(session, mailbox);
  const make = CRAFTS[n % CRAFTS.length] as (n: number) => string;
  const taken = reply.startsWith("354") ? await session.say(Buffer.from(`${make(n)}\r\n.\r\n`)) : reply;
  session.socket.destroy();
  return codeOf(taken);
}

/** @param seconds of the siege; the crafted mails come evenly within its first half */
export function smtpAttacks(target: Target, seconds: number, isOver: () => boolean): Attack[] {
  const craftPauseMs = (seconds * 500 * CRAFTED_LANES) / CRAFTED;
  return [
    { name: "1,000 connections", lanes: CONNECT_LANES, pauseMs: 100, once: () => holdConnections(target) },
    { name: "unfinished DATA", lanes: UNFINISHED, pauseMs: 2_000, once: () => leaveUnfinished(target, isOver) },
    { name: "unknown recipients", lanes: UNKNOWN_LANES, pauseMs: 200, once: (n) => guessUnknown(target, n) },
    { name: "guesses at a catch-all", lanes: CAUGHT_LANES, pauseMs: 0, once: (n) => guessCaught(target, n) },
    {
      name: "costly mails",
      lanes: CRAFTED_LANES,
      pauseMs: craftPauseMs,
      once: async (n) => (n < CRAFTED ? craft(target, n) : "none left"),
    },
  ];
}
