// Attacks over HTTP, each from a separate client address and with a limited number of connections.
import { request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * One attack: `once` is repeated on `lanes` concurrent lanes, with a pause after each. It returns the result in a word
 * or two.
 */
export type Attack = { name: string; lanes: number; pauseMs: number; once(n: number): Promise<string> };
/** `caught`: a domain with a catch-all mailbox. */
export type Target = { port: number; smtpPort: number; key: string; mailbox: string; caught: string };

const ANSWER_MS = 20_000;
const HUGE_BYTES = 39 * 1024 * 1024;
const PIECE = Buffer.alloc(256 * 1024, "a");
const DEEP = 7_000;
/** Methods that Node's parser lets through. */
const METHODS = ["PROPFIND", "MKCOL", "M-SEARCH", "PURGE", "SUBSCRIBE", "REPORT", "SEARCH", "LOCK", "UNBIND", "MERGE"];
const PATHS = ["/trpc/", "/v1/", "/health/", "/auth/", "/mail-html/", "/metrics/", "/_next/", "/x402/v1/"];
const OPEN_PROCEDURES = ["enroll.redeem", "team.link", "team.join"];
const PATTERNS = [
  ".*(?:a|.b|..c|...d){60}z$",
  "(\\pL{1000})".repeat(30),
  "(?:a?){400}a{400}b",
  "(.*)(.*)(.*)(.*)(.*)[^a]$",
  "((a{30}){30})".repeat(30),
];
const WORDS = Array.from({ length: 100 }, (_, n) => `w${n}`).join(" ");

type Ask = {
  localAddress: string;
  method?: string;
  path: string;
  headers?: Record<string, string>;
  /** Text, or a number of octets that are sent piece by piece until there is an answer. */
  body?: string | number;
};

/** @returns the status, or why there was none */
function ask(target: Target, { localAddress, method = "GET", path, headers, body }: Ask): Promise<string> {
  return new Promise((resolve) => {
    let left = typeof body === "number" ? body : 0;
    const length = typeof body === "number" ? body : Buffer.byteLength(body ?? "");
    const sent = httpRequest({
      host: "127.0.0.1",
      port: target.port,
      localAddress,
      method,
      path,
      agent: false,
      headers: { ...headers, ...(body !== undefined && { "Content-Length": `${length}` }) },
    });
    const end = (what: string) => {
      clearTimeout(timer);
      left = 0;
      resolve(what);
      sent.destroy();
    };
    const timer = setTimeout(end, ANSWER_MS, `no answer in ${ANSWER_MS / 1_000} s`);
    const more = () => {
      while (left > 0) {
        left -= PIECE.length;
        if (!sent.write(PIECE)) return;
      }
      if (!sent.writableEnded) sent.end();
    };
    sent.on("response", (response) => {
      response.resume().once("end", () => end(`${response.statusCode}`));
      response.once("error", () => end(`${response.statusCode}, then closed`));
    });
    sent.on("upgrade", (_response, socket) => {
      socket.destroy();
      end("upgraded");
    });
    sent.on("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    sent.on("drain", more);
    if (typeof body === "string") sent.end(body);
    else more();
  });
}

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

export function httpAttacks(target: Target): Attack[] {
  const json = { "Content-Type": "application/json" };
  const keyed = { ...json, Authorization: `Bearer ${target.key}` };
  const mailbox = `/v1/inboxes/${encodeURIComponent(target.mailbox)}`;
  const open = (n: number) => `/trpc/${OPEN_PROCEDURES[n % OPEN_PROCEDURES.length]}`;
  return [
    {
      name: "39 MB to open procedures",
      lanes: 6,
      pauseMs: 250,
      once: (n) =>
        ask(target, { localAddress: "127.0.0.2", method: "POST", path: open(n), headers: json, body: HUGE_BYTES }),
    },
    {
      name: "39 MB with a wrong key",
      lanes: 2,
      pauseMs: 250,
      once: () =>
        ask(target, {
          localAddress: "127.0.0.3",
          method: "POST",
          path: `${mailbox}/send`,
          headers: { ...json, Authorization: `Bearer mb_agent_${"a".repeat(43)}` },
          body: HUGE_BYTES,
        }),
    },
    {
      name: "deep JSON",
      lanes: 2,
      pauseMs: 100,
      once: (n) =>
        ask(target, { localAddress: "127.0.0.3", method: "POST", path: open(n), headers: json, body: nested(DEEP) }),
    },
    {
      name: "odd methods and paths",
      lanes: 4,
      pauseMs: 50,
      once: (n) =>
        ask(target, {
          localAddress: "127.0.0.4",
          method: n % 2 === 0 ? "GET" : (METHODS[n % METHODS.length] as string),
          path: `${PATHS[n % PATHS.length]}${n}-${"x".repeat(n % 90)}`,
        }),
    },
    {
      name: "costly patterns",
      lanes: 6,
      pauseMs: 100,
      once: (n) =>
        ask(target, {
          localAddress: "127.0.0.5",
          method: "POST",
          path: `${mailbox}/wait`,
          headers: keyed,
          body: JSON.stringify({
            match: PATTERNS[n % PATTERNS.length],
            after: "2020-01-01T00:00:00Z",
            timeout_seconds: 5,
          }),
        }),
    },
    {
      name: "Upgrade headers",
      lanes: 10,
      pauseMs: 100,
      once: (n) =>
        ask(target, {
          localAddress: "127.0.0.6",
          path: n % 3 === 0 ? "/" : mailbox,
          headers: {
            Authorization: `Bearer ${target.key}`,
            Connection: "Upgrade, HTTP2-Settings",
            Upgrade: n % 2 === 0 ? "h2c" : "websocket",
            "HTTP2-Settings": "AAMAAABkAAQAoAAAAAIAAAAA",
          },
        }),
    },
    {
      name: "costly lists",
      lanes: 4,
      pauseMs: 100,
      once: (n) => {
        const query = [`q=${encodeURIComponent(WORDS.slice(0, 499))}`, "from=a", `label=${"l".repeat(99)}`][n % 3];
        const path = `${mailbox}/messages?limit=100&${query}`;
        return ask(target, { localAddress: "127.0.0.7", path, headers: keyed });
      },
    },
  ];
}

/** Repeats every attack until `until`. @returns how often each ended in which way */
export async function attackUntil(
  attacks: Attack[],
  until: () => boolean,
): Promise<Record<string, Record<string, number>>> {
  const outcomes: Record<string, Record<string, number>> = {};
  async function lane({ name, pauseMs, lanes, once }: Attack, first: number): Promise<void> {
    const counts = outcomes[name] ?? {};
    outcomes[name] = counts;
    for (let n = first; !until(); n += lanes) {
      const outcome = await once(n).catch((error) => String(error));
      counts[outcome] = (counts[outcome] ?? 0) + 1;
      await sleep(pauseMs);
    }
  }
  await Promise.all(attacks.flatMap((attack) => Array.from({ length: attack.lanes }, (_, n) => lane(attack, n))));
  return outcomes;
}
