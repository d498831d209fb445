// The commands `import mbox | eml | agentmail`: they copy mail into mailboxes. A run that was cut is repeated: mail that is there already
// is not stored again.
import { constants, createReadStream } from "node:fs";
import { lstat, open, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import { serviceError } from "../index.ts";
import { collect } from "./arguments.ts";
import { EXIT } from "./exit-codes.ts";
import { printObject, toJson } from "./print.ts";
import { CommandProblem } from "./problem.ts";
import { openSession, readUrl, type Session, type Shell } from "./session.ts";

/** The service's limit for a mail. */
const MAIL_MAX_BYTES = 26_214_400;
const CALL_MAX_MS = 120_000;
/** Mails on their way at the same time. */
const AT_ONCE = 4;
const TRIES_MAX = 8;
const WAIT_MAX_MS = 60_000;
const PROGRESS_EVERY_MS = 2_000;
const FOLDERS_DEEP_MAX = 32;
const AGENTMAIL_URL = "https://api.agentmail.to";
const PAGE_ROWS = 100;
/** What AgentMail says of a message by labels; all others are labels of its owner. */
const THEIR_LABELS = ["received", "sent", "unread", "read", "spam", "trash", "draft", "scheduled", "held", "blocked"];

/** `from`: its file and place, for messages. `load` is called when there is room for it. @throws Skipped */
type Mail = { from: string; isRead: boolean; labels: string[]; load(): Promise<Buffer> };
type Target = { session: Session; inbox: string };
type Counts = { imported: number; repeated: number; skipped: number };

/** A mail that cannot be imported; the others can. */
class Skipped extends Error {}

export function addImportCommands(program: Command, shell: Shell): void {
  const group = program.command("import").description("copy mail of another service into mailboxes");
  group
    .command("mbox")
    .argument("<inbox>", "the mailbox, by address or id")
    .argument("<file>", "an mbox file, as mail programs and Google Takeout export it")
    .description("import an mbox file")
    .action((inbox: string, file: string, _options, command: Command) =>
      run(shell, command, (session) => importAll({ session, inbox }, mailsOfMbox(file))),
    );
  group
    .command("eml")
    .argument("<inbox>", "the mailbox, by address or id")
    .argument("<paths...>", "files with one mail each, or folders of .eml files and Maildirs")
    .description("import single mails and folders of them")
    .action((inbox: string, paths: string[], _options, command: Command) =>
      run(shell, command, (session) => importAll({ session, inbox }, mailsOfPaths(shell, paths))),
    );
  group
    .command("agentmail")
    .option("--from <url>", "the API of AgentMail", AGENTMAIL_URL)
    .option("--inbox <id>", "only this inbox; may be repeated", collect)
    .option("--domain <domain>", "the domain of the mailboxes here, if it is another one")
    .description("create the mailboxes of an AgentMail account and import their mail; AGENTMAIL_API_KEY is its key")
    .action((options: AgentMailOptions, command: Command) =>
      run(shell, command, (session) => importAgentMail(session, options)),
    );
}

async function run(shell: Shell, command: Command, work: (session: Session) => Promise<Counts>): Promise<void> {
  const counts = await work(await openSession(shell, command));
  printObject(shell, command, counts);
  if (counts.skipped === 0) return;
  const message = `${counts.skipped} mails were not imported; they are named above. Repeat the command after you corrected them.`;
  throw new CommandProblem(EXIT.error, message);
}

/** Imports the mails with a few calls at a time, so that few are in memory. Names each mail that cannot be imported. */
async function importAll({ session, inbox }: Target, mails: AsyncIterable<Mail>): Promise<Counts> {
  const { shell } = session;
  const counts: Counts = { imported: 0, repeated: 0, skipped: 0 };
  const progress = setInterval(() => shell.stderr.write(`${lineOf(inbox, counts)}\n`), PROGRESS_EVERY_MS);
  const running = new Set<Promise<void>>();
  let failure: unknown;
  try {
    for await (const mail of mails) {
      shell.stop.throwIfAborted();
      if (failure !== undefined) break;
      const one: Promise<void> = importOne({ session, inbox }, mail)
        .then((outcome) => {
          counts[outcome] += 1;
        })
        .catch((error: unknown) => {
          if (!(error instanceof Skipped)) failure ??= error;
          else {
            counts.skipped += 1;
            shell.stderr.write(`not imported: ${toJson(mail.from)}: ${error.message}\n`);
          }
        })
        .finally(() => running.delete(one));
      running.add(one);
      if (running.size >= AT_ONCE) await Promise.race(running);
    }
  } finally {
    await Promise.all(running);
    clearInterval(progress);
  }
  shell.stderr.write(`${lineOf(inbox, counts)}\n`);
  if (failure !== undefined) throw failure;
  return counts;
}

function lineOf(inbox: string, { imported, repeated, skipped }: Counts): string {
  return `${inbox}: ${imported} imported, ${repeated} already there, ${skipped} not imported`;
}

/** @throws Skipped; what the service refuses for every mail */
async function importOne(target: Target, mail: Mail): Promise<"imported" | "repeated"> {
  const raw = await mail.load();
  const { id, repeated } = await post(target, raw, mail.isRead);
  if (mail.labels.length > 0) {
    const { client } = target.session;
    await patiently(target.session.shell, () => client.messages.update.mutate({ id, add_labels: mail.labels }));
  }
  return repeated ? "repeated" : "imported";
}

/** Refusals of one mail. All others concern every mail. */
const OF_ONE_MAIL = [400, 413, 422];

type Refusal = { error?: { code?: string; message?: string; fix?: string } };

async function post({ session, inbox }: Target, raw: Buffer, isRead: boolean) {
  const { shell, url, key } = session;
  const address = `${url}/v1/inboxes/${encodeURIComponent(inbox)}/import${isRead ? "" : "?read=false"}`;
  const headers = { authorization: `Bearer ${key}`, "content-type": "message/rfc822" };
  const answer = await fetchPatiently(shell, address, { method: "POST", headers, body: new Uint8Array(raw) });
  if (answer.ok) return (await answer.json()) as { id: string; repeated: boolean };
  const { error = {} } = (await answer.json().catch(() => ({}))) as Refusal;
  const text = `${error.message ?? `${url} answered ${answer.status}.`} ${error.fix ?? ""} (${error.code ?? answer.status})`;
  if (OF_ONE_MAIL.includes(answer.status)) throw new Skipped(text);
  const exit = answer.status === 404 ? EXIT.notFound : answer.status === 409 ? EXIT.conflict : EXIT.unauthorized;
  throw new CommandProblem(exit, text);
}

/** Repeats a request that the service could not take now: its rate limit is reached, or it does not answer. */
async function fetchPatiently(shell: Shell, url: string, init: RequestInit = {}): Promise<Response> {
  for (let tried = 1; ; tried += 1) {
    const signal = AbortSignal.any([shell.stop, AbortSignal.timeout(CALL_MAX_MS)]);
    const answer = await fetch(url, { ...init, signal }).catch((error: unknown) => {
      if (tried >= TRIES_MAX || shell.stop.aborted) throw error;
      return undefined;
    });
    if (answer && answer.status !== 429 && answer.status < 500) return answer;
    if (answer && answer.status !== 429 && tried >= TRIES_MAX) return answer;
    const seconds = Number(answer?.headers.get("retry-after") ?? "");
    await answer?.body?.cancel();
    await delay(seconds > 0 ? Math.min(seconds * 1_000, WAIT_MAX_MS) : waitMs(tried), undefined, {
      signal: shell.stop,
    });
  }
}

/** Repeats a call of the client likewise. */
async function patiently<Result>(shell: Shell, call: () => Promise<Result>): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await call();
    } catch (error) {
      const code = serviceError(error)?.code;
      if (tried >= TRIES_MAX || (code !== "rate_limited" && code !== "unavailable")) throw error;
      await delay(waitMs(tried), undefined, { signal: shell.stop });
    }
  }
}

const waitMs = (tried: number) => Math.min(250 * 2 ** tried, WAIT_MAX_MS);
const isTooLarge = `It is larger than ${MAIL_MAX_BYTES} bytes.`;

// mbox (RFC 4155): each mail follows a line `From sender date` and ends with an empty line. Lines of a mail that begin with `From ` have
// a `>` before it, and those with `>From ` have one more.
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x3e;
const CAPITAL_F = 0x46;
const FROM = Buffer.from("From ");
/** A mail may consist of empty lines, and each would be an object. */
const BLOCK_LINES = 4_096;
/** A line that no separator begins is read in pieces of this size. */
const PIECE_BYTES = 65_536;
const SEPARATOR_CHARS = 200;
/** Some programs do not quote: only a line with a date separates. */
const SEPARATOR =
  /^From .*\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?\s+(?:[A-Z][a-z]{2}\s+\d{1,2}|\d{1,2}\s+[A-Z][a-z]{2})\b.*\d\d:\d\d/;

async function* mailsOfMbox(path: string): AsyncGenerator<Mail> {
  const named = JSON.stringify(path);
  const info = await stat(path).catch(() => undefined);
  if (!info?.isFile()) throw new CommandProblem(EXIT.usage, `There is no file ${named}. Check its path.`);
  let number = 0;
  let blocks: Buffer[] = [];
  let lines: Buffer[] = [];
  let size = 0;
  const taken = (): Mail => {
    const [parts, bytes] = [[...blocks, ...lines], size];
    [blocks, lines, size] = [[], [], 0];
    return {
      from: `${path}: mail ${number}`,
      isRead: true,
      labels: [],
      async load() {
        if (bytes > MAIL_MAX_BYTES) throw new Skipped(isTooLarge);
        return withoutLastLine(Buffer.concat(parts));
      },
    };
  };
  let isAfterEmpty = true;
  for await (const { bytes, isStart } of linesOf(path)) {
    if (isStart && isAfterEmpty && isSeparator(bytes, number === 0)) {
      if (number > 0) yield taken();
      number += 1;
      isAfterEmpty = false;
      continue;
    }
    if (number === 0) throw new CommandProblem(EXIT.usage, `${named} is no mbox file: it does not begin with "From ".`);
    const line = isStart ? unquoted(bytes) : bytes;
    size += line.length;
    if (size <= MAIL_MAX_BYTES) lines.push(line);
    else [blocks, lines] = [[], []];
    if (lines.length >= BLOCK_LINES) {
      blocks.push(Buffer.concat(lines));
      lines = [];
    }
    isAfterEmpty = isStart && isEmpty(bytes);
  }
  if (number > 0) yield taken();
}

function isSeparator(line: Buffer, isFirst: boolean): boolean {
  if (line[0] !== CAPITAL_F || !line.subarray(0, FROM.length).equals(FROM)) return false;
  return isFirst || SEPARATOR.test(line.toString("latin1", 0, SEPARATOR_CHARS));
}

function unquoted(line: Buffer): Buffer {
  if (line[0] !== QUOTE) return line;
  let at = 1;
  while (line[at] === QUOTE) at += 1;
  return line.subarray(at, at + FROM.length).equals(FROM) ? line.subarray(1) : line;
}

function isEmpty(line: Buffer): boolean {
  return line[0] === NEWLINE || (line[0] === RETURN && line[1] === NEWLINE);
}

/** The mail without the empty line that ends it in the file. */
function withoutLastLine(mail: Buffer): Buffer {
  if (mail.at(-1) !== NEWLINE) return mail;
  const rest = mail.subarray(0, mail.at(-2) === RETURN ? -2 : -1);
  return rest.at(-1) === NEWLINE ? rest : mail;
}

/** The lines of a file with their ends. A long line comes in pieces, of which only the first is its start. */
async function* linesOf(path: string): AsyncGenerator<{ bytes: Buffer; isStart: boolean }> {
  let rest = Buffer.alloc(0);
  let isStart = true;
  for await (const chunk of createReadStream(path, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, at)) {
      yield { bytes: bytes.subarray(at, end + 1), isStart };
      isStart = true;
      at = end + 1;
    }
    rest = Buffer.from(bytes.subarray(at));
    if (rest.length < PIECE_BYTES) continue;
    yield { bytes: rest, isStart };
    isStart = false;
    rest = Buffer.alloc(0);
  }
  if (rest.length > 0) yield { bytes: rest, isStart };
}

// Files with one mail each. In folders, symbolic links are not followed: they could lead out of the folder.
async function* mailsOfPaths({ stderr }: Shell, paths: string[]): AsyncGenerator<Mail> {
  for (const path of paths) {
    const info = await stat(path).catch(() => undefined);
    if (info?.isDirectory()) yield* mailsOfFolder(path, stderr, 0);
    else if (info?.isFile()) yield fileMail(path, 0);
    else throw new CommandProblem(EXIT.usage, `There is no file or folder ${JSON.stringify(path)}. Check its path.`);
  }
}

async function* mailsOfFolder(folder: string, stderr: Shell["stderr"], depth: number): AsyncGenerator<Mail> {
  const isMaildir = ["cur", "new"].includes(basename(folder));
  for (const name of (await readdir(folder)).sort()) {
    const path = join(folder, name);
    const info = await lstat(path);
    if (info.isDirectory() && depth < FOLDERS_DEEP_MAX) yield* mailsOfFolder(path, stderr, depth + 1);
    else if (!info.isFile()) stderr.write(`left out, because it is no file: ${toJson(path)}\n`);
    else if (isMaildir || name.toLowerCase().endsWith(".eml")) yield fileMail(path, constants.O_NOFOLLOW);
  }
}

function fileMail(path: string, flags: number): Mail {
  return {
    from: path,
    isRead: true,
    labels: [],
    async load() {
      const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | flags).catch((error: Error) => {
        throw new Skipped(error.message);
      });
      try {
        const info = await file.stat();
        if (!info.isFile()) throw new Skipped("It is no file.");
        if (info.size > MAIL_MAX_BYTES) throw new Skipped(isTooLarge);
        return await file.readFile();
      } finally {
        await file.close();
      }
    },
  };
}

// AgentMail, by the paths that its npm package calls.
type AgentMailOptions = { from: string; inbox?: string[]; domain?: string };
type Account = { shell: Shell; url: string; key: string };
type TheirInbox = { inbox_id: string; display_name?: string };
type TheirMessage = { message_id: string; labels?: string[] };

async function importAgentMail(session: Session, options: AgentMailOptions): Promise<Counts> {
  const { shell } = session;
  const key = shell.environment.AGENTMAIL_API_KEY;
  if (!key) throw new CommandProblem(EXIT.usage, "The key of AgentMail is missing. Set AGENTMAIL_API_KEY.");
  const account = { shell, url: readUrl(options.from), key };
  const total: Counts = { imported: 0, repeated: 0, skipped: 0 };
  for await (const theirs of pages<TheirInbox>(account, "/v0/inboxes", "inboxes")) {
    if (options.inbox && !options.inbox.includes(theirs.inbox_id)) continue;
    const inbox = await mailboxFor(session, theirs, options.domain);
    const counts = await importAll({ session, inbox }, mailsOfAgentMail(account, theirs.inbox_id));
    for (const name of ["imported", "repeated", "skipped"] as const) total[name] += counts[name];
  }
  return total;
}

/** The mailbox with the same name here, which is created if there is none. */
async function mailboxFor({ client, shell }: Session, theirs: TheirInbox, domain?: string): Promise<string> {
  const at = theirs.inbox_id.lastIndexOf("@");
  if (at < 1)
    throw new CommandProblem(
      EXIT.error,
      `The inbox ${toJson(theirs.inbox_id)} is no address. Choose others with --inbox.`,
    );
  const [username, host] = [theirs.inbox_id.slice(0, at), domain ?? theirs.inbox_id.slice(at + 1)];
  const addr = `${username}@${host}`;
  const known = await patiently(shell, () => client.inboxes.get.query({ addr })).catch((error: unknown) => {
    if (serviceError(error)?.code === "inbox_not_found") return undefined;
    throw error;
  });
  if (known) return known.address;
  const display_name = theirs.display_name || undefined;
  const client_id = `import ${theirs.inbox_id}`.slice(0, 100);
  const create = () => client.inboxes.create.mutate({ username, domain: host, display_name, client_id });
  const made = await patiently(shell, create).catch((error: unknown) => {
    const refused = serviceError(error);
    if (refused?.code !== "domain_not_allowed" && refused?.code !== "address_taken") throw error;
    const message = `The mailbox ${addr} cannot be created: ${refused.message} Choose another domain with --domain.`;
    throw new CommandProblem(EXIT.conflict, message);
  });
  return made.address;
}

/** The oldest first, as threads are built. */
async function* mailsOfAgentMail(account: Account, inboxId: string): AsyncGenerator<Mail> {
  const path = `/v0/inboxes/${encodeURIComponent(inboxId)}/messages`;
  const all: TheirMessage[] = [];
  for await (const { message_id, labels } of pages<TheirMessage>(account, path, "messages")) {
    all.push({ message_id, ...(labels && { labels }) });
  }
  for (const { message_id, labels = [] } of all.reverse()) {
    yield {
      from: `${inboxId}: ${message_id}`,
      isRead: !labels.includes("unread"),
      labels: labels.filter((label) => !THEIR_LABELS.includes(label)),
      load: () => loadRaw(account, `${path}/${encodeURIComponent(message_id)}/raw`),
    };
  }
}

async function* pages<Item>(account: Account, path: string, field: string): AsyncGenerator<Item> {
  let token: string | undefined;
  do {
    const query = new URLSearchParams({ limit: String(PAGE_ROWS), ...(token && { page_token: token }) });
    const answer = await ask(account, `${path}?${query}`);
    if (!answer.ok) {
      const exit = answer.status === 401 || answer.status === 403 ? EXIT.unauthorized : EXIT.error;
      throw new CommandProblem(
        exit,
        `${account.url}${path} answered ${answer.status}. Check --from and AGENTMAIL_API_KEY.`,
      );
    }
    const page = (await answer.json()) as Record<string, unknown>;
    yield* (page[field] as Item[] | undefined) ?? [];
    token = typeof page.next_page_token === "string" ? page.next_page_token : undefined;
  } while (token);
}

function ask({ shell, url, key }: Account, path: string): Promise<Response> {
  return fetchPatiently(shell, `${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
}

/** The raw octets are behind a link that is asked without the key. @throws Skipped */
async function loadRaw(account: Account, path: string): Promise<Buffer> {
  const answer = await ask(account, path);
  if (!answer.ok) throw new Skipped(`AgentMail has no raw mail of it (${answer.status}).`);
  const { download_url } = (await answer.json()) as { download_url: string };
  const file = await fetchPatiently(account.shell, readLink(download_url));
  if (!file.ok || !file.body) throw new Skipped(`Its raw mail was not downloaded: the answer was ${file.status}.`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of file.body) {
    size += chunk.length;
    if (size > MAIL_MAX_BYTES) throw new Skipped(isTooLarge);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** @throws Skipped */
function readLink(text: unknown): string {
  if (typeof text === "string" && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new Skipped("AgentMail gave no link to its raw mail.");
}
