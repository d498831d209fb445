// The command `init`: writes the settings of a service for a domain to `.env`, and says which DNS records it needs and what comes next.
import { randomBytes } from "node:crypto";
import { Resolver } from "node:dns/promises";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import type { Command } from "commander";
import { readDomain } from "../../server/base/addresses.ts";
import { expectedRecords } from "../../server/domains/dns/expected.ts";
import { EXIT } from "./exit-codes.ts";
import { isJson, tableOf, toJson } from "./print.ts";
import { CommandProblem } from "./problem.ts";
import type { Shell } from "./session.ts";

const FILE = ".env";
const FILE_MODE = 0o600;
const TOKEN_BYTES = 32;
const LOOKUP_MS = 3_000;
const MOVING = "docs/guides/moving.md#move-a-domain-without-a-gap";
/** Answers of DNS that say there is no such record; all other errors say nothing. */
const NONE = ["ENOTFOUND", "ENODATA"];

type Options = { host?: string; force?: boolean };
/** `status`: `other`: DNS has another value there. `unknown`: DNS gave no answer. */
type Wanted = { type: string; name: string; value: string; priority: number | null };
type Planned = Wanted & { status: "found" | "missing" | "other" | "unknown" };
type Lookup = (type: string, name: string) => Promise<string[] | undefined>;

export function addInitCommand(program: Command, shell: Shell): void {
  program
    .command("init")
    .argument("<domain>", "the domain of the mailboxes, such as agents.example.com")
    .option("--host <name>", "the public name of this machine; default: mail.<domain>")
    .option("--force", "change these settings in a .env that exists; its other lines stay")
    .description("write .env for a domain, and show its DNS records and the next command")
    .action((domain: string, options: Options, command: Command) => init(shell, command, domain, options));
}

async function init(shell: Shell, command: Command, given: string, options: Options): Promise<void> {
  const domain = nameOf(given);
  const host = nameOf(options.host ?? `mail.${domain}`);
  const existing = await readFile(FILE, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new CommandProblem(EXIT.error, `${FILE} cannot be read: ${error.message}.`);
  });
  if (existing !== undefined && !options.force) throw alreadyThere(existing);
  const look = lookupWith(shell);
  const wanted = expectedRecords(
    { SMTP_HOSTNAME: host, SPF_MECHANISMS: `a:${host}`, SMTP_TLS_CERT: undefined, PUBLIC_URL: `https://${host}` },
    { domain, token: null, keys: [], provider: undefined },
  );
  const address: Wanted = { type: "A", name: host, value: "the public address of this machine", priority: null };
  const records = await Promise.all([address, ...wanted].map((record) => planned(look, record)));
  const notes = await notesOf(look, domain, host, records);
  await write(existing, {
    PUBLIC_URL: `https://${host}`,
    DEFAULT_DOMAIN: domain,
    SMTP_HOSTNAME: host,
    TRUST_PROXY: "127.0.0.1",
    METRICS_TOKEN: parseEnv(existing ?? "").METRICS_TOKEN || randomBytes(TOKEN_BYTES).toString("hex"),
  });
  print(shell, command, { domain, host, file: FILE, records, notes, next: nextSteps() });
}

/** @throws CommandProblem (usage) */
function nameOf(text: string): string {
  const name = readDomain(text);
  if (name?.includes(".")) return name;
  throw new CommandProblem(EXIT.usage, `${JSON.stringify(text)} is no domain. Write it as agents.example.com.`);
}

/** Names what is there, without secrets. */
function alreadyThere(text: string): CommandProblem {
  const { DEFAULT_DOMAIN, PUBLIC_URL } = parseEnv(text);
  const shown = Object.entries({ DEFAULT_DOMAIN, PUBLIC_URL }).map(([name, value]) => `${name}=${value ?? ""}`);
  const message = `${FILE} is there already, with ${shown.join(" and ")}. Nothing was changed. Use --force to set the domain in it.`;
  return new CommandProblem(EXIT.conflict, message);
}

/** DNS by the resolver of the system, or by DNS_SERVERS as for the service. @returns undefined if there was no answer */
function lookupWith({ environment }: Shell): Lookup {
  const resolver = new Resolver({ timeout: LOOKUP_MS, tries: 1 });
  const servers = environment.DNS_SERVERS?.split(/[\s,]+/).filter(Boolean) ?? [];
  if (servers.length > 0) resolver.setServers(servers);
  const ask = async (type: string, name: string): Promise<string[]> => {
    if (type === "A") return resolver.resolve4(name).catch(() => resolver.resolve6(name));
    if (type === "TXT") return (await resolver.resolveTxt(name)).map((parts) => parts.join(""));
    // A null MX (RFC 7505) is none.
    return (await resolver.resolveMx(name)).map(({ exchange }) => exchange.toLowerCase()).filter(Boolean);
  };
  return (type, name) =>
    ask(type, name).catch((error: NodeJS.ErrnoException) => (NONE.includes(error.code ?? "") ? [] : undefined));
}

async function planned(look: Lookup, { type, name, value, priority }: Wanted): Promise<Planned> {
  const found = await look(type, name);
  return { type, name, value, priority, status: statusOf(found, type, value) };
}

function statusOf(found: string[] | undefined, type: string, value: string): Planned["status"] {
  if (!found) return "unknown";
  const [version = ""] = value.split(/[ ;]/, 1);
  const same = type === "TXT" ? found.filter((text) => text.startsWith(version)) : found;
  if (same.length === 0) return "missing";
  if (type === "A" || version === "v=DMARC1") return "found";
  const mechanism = value.split(" ")[1] ?? "";
  const isThere = type === "TXT" ? same.some((text) => text.split(" ").includes(mechanism)) : same.includes(value);
  return isThere && (type === "TXT" || same.length === 1) ? "found" : "other";
}

async function notesOf(look: Lookup, domain: string, host: string, records: Planned[]): Promise<string[]> {
  const notes: string[] = [];
  const others = ((await look("MX", domain)) ?? []).filter((name) => name !== host);
  if (others.length > 0) {
    notes.push(
      `Mail to ${domain} goes to another service now: MX ${others.map((name) => toJson(name).slice(1, -1)).join(", ")}. Leave it, and use a subdomain: mailberth init agents.${domain} --force. Or move without a gap: ${MOVING}.`,
    );
  }
  const spf = records.find(({ name, type, status }) => name === domain && type === "TXT" && status === "other");
  if (spf) notes.push(`${domain} has an SPF record. Add a:${host} to it; two SPF records make both invalid.`);
  const unknown = records.filter(({ status }) => status === "unknown");
  if (unknown.length > 0) {
    notes.push(
      `DNS gave no answer for ${unknown.length} of ${records.length} records. Check them later: mailberth admin domains check`,
    );
  }
  notes.push(
    "The service makes its DKIM key at its first start; mailberth admin domains check shows its record.",
    "It makes encryption.key in its data folder (.data). Keep a copy of it with your backups.",
    "Port 25 of this machine must reach SMTP_PORT (2525), and HTTPS port 3000: docs/guides/deploy.md. Mail is only stored until OUTBOUND names a relay: docs/guides/relays.md.",
  );
  return notes;
}

const nextSteps = () => ["mailberth start", "mailberth admin domains check"];

/** Values need no quotes. Of a file that exists, the lines of these settings are replaced. */
async function write(existing: string | undefined, settings: Record<string, string>): Promise<void> {
  let text = existing ?? "";
  for (const [name, value] of Object.entries(settings)) {
    const line = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*$`, "m");
    if (line.test(text)) text = text.replace(line, `${name}=${value}`);
    else text = `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${name}=${value}\n`;
  }
  const draft = existing === undefined ? FILE : `${FILE}.${process.pid}`;
  try {
    // Fails if another process wrote it in the meantime, and does not follow a link.
    await writeFile(draft, text, { mode: FILE_MODE, flag: "wx" });
  } catch (error) {
    throw new CommandProblem(EXIT.error, `${FILE} was not written: ${(error as Error).message}.`);
  }
  if (draft !== FILE) await rename(draft, FILE).finally(() => rm(draft, { force: true }));
}

type Result = { domain: string; host: string; file: string; records: Planned[]; notes: string[]; next: string[] };

function print(shell: Shell, command: Command, result: Result): void {
  if (isJson(shell, command)) {
    shell.stdout.write(`${toJson(result)}\n`);
    return;
  }
  const { file, records, notes, next } = result;
  const table = tableOf(records, [
    ["STATUS", ({ status }) => status],
    ["TYPE", ({ type }) => type],
    ["NAME", ({ name }) => name],
    ["VALUE", ({ value, priority }) => [priority, value].filter((part) => part !== null).join(" ")],
  ]);
  const lines = [
    `Wrote ${file}. Publish these DNS records:`,
    "",
    table,
    "",
    ...notes,
    "",
    "Next:",
    ...next.map((one) => `  ${one}`),
  ];
  shell.stdout.write(`${lines.join("\n")}\n`);
}
