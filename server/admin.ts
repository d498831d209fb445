// The operator's command for organizations, domains and keys. It works whether or not the service is running.
import { parseArgs } from "node:util";
import { migrate } from "#db/migrate.ts";
import type { Ctx, System } from "./base/context.ts";
import { readSettings, type Settings } from "./base/env.ts";
import { ServiceError } from "./base/errors.ts";
import { createLog, type Logger } from "./base/log.ts";
import { assemble } from "./boot/assemble.ts";
import { DATABASE_COMMANDS } from "./boot/backups.ts";
import { commandDatabase } from "./boot/database.ts";
import { checkDefaultDomain } from "./domains/check-default.ts";
import { listAllDomains } from "./domains/operator/list.ts";
import { revokeDomain } from "./domains/operator/revoke.ts";
import { showDomain } from "./domains/operator/show.ts";
import { grantDomain } from "./grants/domain-grants.ts";
import { recountStorage } from "./inboxes/storage.ts";
import { issueAgentKey } from "./keys/issue-agent-key.ts";
import { issueEnrollmentKey } from "./keys/issue-enrollment-key.ts";
import { listAgentKeys } from "./keys/list-agents.ts";
import { listEnrollmentKeys } from "./keys/list-enrollment-keys.ts";
import { revokeAgentKey, revokeEnrollmentKey } from "./keys/revoke.ts";
import { reparseMessages } from "./messages/inbound/reparse.ts";
import { newResetLink } from "./organizations/letters.ts";
import { linkTo, newOwnerToken } from "./organizations/links.ts";
import {
  createOrganization,
  findOrganization,
  listOrganizations,
  setOwners,
  setPaidProvisioning,
} from "./organizations/organizations.ts";

const USAGE = `Usage: npm run -s admin -- <what> <action> [options] [--json]

  organizations create --name Acme [--owner a@b.example,c@d.example]
  organizations update <id|name> [--owner a@b.example,c@d.example] [--paid-provisioning on|off]
  organizations list
  organizations owner-link <id|name>
  domains grant --organization <id|name> <domain>
  domains list
  domains show <domain>
  domains revoke <domain>
  domains check
  enrollment-keys issue --organization <id|name> --max-mailboxes N [--allowed-domains a,b] [--expires-in 30d] [--name x]
  enrollment-keys list
  enrollment-keys revoke <id>
  agent-keys issue --enrollment-key <id> --handle bot [--scopes a,b] [--inboxes addr,…] [--expires-in 30d]
  agent-keys list
  agent-keys revoke <id>
  accounts reset-link <e-mail>
  storage recount
  messages reparse <message id>|--unparsed
  backup <file>
  restore <file>

owner-link: a one-time link that makes who opens it an owner. reset-link: a link to set a new password.
domains grant: the domain and everything below it is for this organization alone. Keys with --allowed-domains
  grant them too, for as long as the key is neither revoked nor expired; domains grant lasts until domains revoke.
domains revoke: also deletes the claim of an organization that verified the domain. Mailboxes stay until
  another organization verifies it.
domains show: who claims or holds the domain, the state of each DNS record, and the grants.
domains check: the DNS records that DEFAULT_DOMAIN needs, and whether DNS has them.
storage recount: counts the stored mail of all mailboxes anew, for the storage quotas. New mail
  waits until the count ends.
messages reparse: parses mail again that could not be parsed, one message or all.
backup: writes all data into one file, as it is at one moment, while the service runs. Keep the file private,
  and keep ENCRYPTION_KEY (or encryption.key in DATA_DIR) in another place: both are needed to restore.
restore: fills an empty database from such a file, of this version or an older one.
--owner: addresses that are notified by mail when a webhook is disabled; update replaces the list, "" empties it.
--paid-provisioning: whether its creates ask for a payment (with PAYMENTS_ENABLED).
--expires-in takes a number and m, h or d. --json prints one JSON object.
`;

const PAGE_ROWS = 100;
const NO_DOMAIN = "Name the domain.";
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

type Options = { [name: string]: string | boolean | undefined };
type Given = { option(name: string): string | undefined; needed(name: string): string; id: string | undefined };
type Action = (ctx: Ctx<System>, given: Given) => Promise<object>;

const ACTIONS: Record<string, Action> = {
  "organizations create": (ctx, { option, needed }) =>
    createOrganization(ctx, needed("name"), list(option("owner")) ?? []),
  "organizations update": updateOrganization,
  "organizations owner-link": async (ctx, given) => {
    const { id } = await findOrganization(ctx, idOf(given, "Name the organization, by id or name."));
    return { link: linkTo(ctx.settings, await newOwnerToken(ctx, id)) };
  },
  "organizations list": async (ctx) => ({ data: await listOrganizations(ctx) }),
  "domains grant": async (ctx, given) =>
    grantDomain(ctx, await findOrganization(ctx, given.needed("organization")), idOf(given, NO_DOMAIN)),
  "domains list": async (ctx) => ({ data: await listAllDomains(ctx) }),
  "domains show": async (ctx, given) => ({ data: await showDomain(ctx, idOf(given, NO_DOMAIN)) }),
  "domains check": async (ctx) => ({ data: await checkDefaultDomain(ctx) }),
  "domains revoke": (ctx, given) => revokeDomain(ctx, idOf(given, NO_DOMAIN)),
  "enrollment-keys issue": (ctx, { option, needed }) =>
    issueEnrollmentKey(ctx, {
      organization: needed("organization"),
      max_mailboxes: wholeNumber("max-mailboxes", needed("max-mailboxes")),
      allowed_domains: list(option("allowed-domains")),
      expires_at: expiry(ctx, option("expires-in")),
      name: option("name"),
    }),
  "enrollment-keys list": (ctx) => everyPage((page) => listEnrollmentKeys(ctx, page)),
  "enrollment-keys revoke": (ctx, given) => revokeEnrollmentKey(ctx, idOf(given)),
  "agent-keys issue": (ctx, { option, needed }) =>
    issueAgentKey(ctx, {
      enrollment_key: needed("enrollment-key"),
      handle: needed("handle"),
      scopes: list(option("scopes")),
      inboxes: list(option("inboxes")),
      expires_at: expiry(ctx, option("expires-in")),
    }),
  "agent-keys list": (ctx) => everyPage((page) => listAgentKeys(ctx, page)),
  "agent-keys revoke": (ctx, given) => revokeAgentKey(ctx, idOf(given)),
  "messages reparse": (ctx, given) =>
    reparseMessages(ctx, given.option("unparsed") ? undefined : idOf(given, "Name the message, or pass --unparsed.")),
  "accounts reset-link": async (ctx, given) => ({
    link: await newResetLink(ctx, idOf(given, "Name the account by its e-mail address.")),
  }),
  "storage recount": (ctx) => recountStorage(ctx),
};

type Page<Row> = { data: Row[]; next_cursor: string | null };

/** All rows of a list that is read a page at a time. */
async function everyPage<Row>(read: (page: { limit: number; cursor: string | undefined }) => Promise<Page<Row>>) {
  const data: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ limit: PAGE_ROWS, cursor });
    data.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return { data };
}

/** Each option may be given without the other. */
async function updateOrganization(ctx: Ctx<System>, given: Given): Promise<object> {
  const organization = idOf(given, "Name the organization, by id or name.");
  const [owner, paid] = [given.option("owner"), given.option("paid-provisioning")];
  if (owner === undefined && paid === undefined) throw bad("--owner or --paid-provisioning is needed.");
  if (paid !== undefined && paid !== "on" && paid !== "off") throw bad("paid-provisioning: on or off");
  const owned = owner === undefined ? undefined : await setOwners(ctx, organization, list(owner) ?? []);
  return paid === undefined ? (owned ?? {}) : setPaidProvisioning(ctx, organization, paid === "on");
}

function bad(message: string): ServiceError {
  return new ServiceError("invalid_request", message);
}

function wholeNumber(name: string, text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw bad(`${name}: a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

function list(text: string | undefined): string[] | undefined {
  return text
    ?.split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}

function idOf({ id }: Given, otherwise = "Name the id to revoke."): string {
  if (!id) throw bad(otherwise);
  return id;
}

function expiry(ctx: Ctx<System>, text: string | undefined): string | undefined {
  if (text === undefined) return;
  const [, count, unit] = /^([1-9][0-9]{0,5})([mhd])$/.exec(text) ?? [];
  if (!count) throw bad("expires-in: a number and m, h or d, such as 30d");
  return new Date(ctx.now().getTime() + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]).toISOString();
}

function readCommand(args: string[]) {
  const text = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: "boolean" },
      help: { type: "boolean" },
      unparsed: { type: "boolean" },
      name: text,
      owner: text,
      "paid-provisioning": text,
      organization: text,
      "max-mailboxes": text,
      "allowed-domains": text,
      "expires-in": text,
      "enrollment-key": text,
      handle: text,
      scopes: text,
      inboxes: text,
    },
  });
  const [what = "", action = "", id, ...rest] = positionals;
  const options = values as Options;
  const run = rest.length === 0 ? ACTIONS[`${what} ${action}`] : undefined;
  const onDatabase = action !== "" && id === undefined ? DATABASE_COMMANDS[what] : undefined;
  const act = run
    ? (place: Place) => runAction(run, place, { options, id })
    : onDatabase && ((place: Place) => onDatabase({ ...place, file: action }));
  return { act, options };
}

type Place = { settings: Settings; log: Logger; url: string; report: (line: string) => void };

async function runAction(
  run: Action,
  { settings, log, url }: Place,
  { options, id }: { options: Options; id: string | undefined },
): Promise<object> {
  await migrate(url, log);
  const assembled = await assemble(settings, log, url);
  try {
    const option = (name: string) => options[name] as string | undefined;
    const needed = (name: string) => {
      const value = option(name);
      if (value === undefined) throw bad(`--${name} is needed.`);
      return value;
    };
    return await run(assembled.system, { option, needed, id });
  } finally {
    await assembled.close();
  }
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (typeof value !== "object" || value === null) return String(value ?? "–");
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${textOf(inner)}`)
    .join(", ");
}

function describe(result: object): string {
  const rows = "data" in result && Array.isArray(result.data) ? (result.data as object[]) : [result];
  if (rows.length === 0) return "None yet.";
  return rows
    .map((row) =>
      Object.entries(row)
        .map(([name, value]) => `${name.padEnd(18)}${textOf(value)}`)
        .join("\n"),
    )
    .join("\n\n");
}

/** Where a command writes, and the environment that its settings are read from. */
export type Terminal = {
  environment: NodeJS.ProcessEnv;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
};

async function execute(args: string[], { environment, stdout, stderr }: Terminal): Promise<number> {
  let command: ReturnType<typeof readCommand>;
  try {
    command = readCommand(args);
  } catch (error) {
    stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  const { act, options } = command;
  if (!act || options.help) {
    stderr.write(USAGE);
    return options.help ? 0 : 2;
  }
  const settings = readSettings(environment);
  const log = createLog("warn", false);
  const { url, stop } = await commandDatabase(settings, log);
  try {
    const result = await act({ settings, log, url, report: (line) => stderr.write(`${line}\n`) });
    stdout.write(`${options.json ? JSON.stringify(result) : describe(result)}\n`);
    return 0;
  } finally {
    await stop();
  }
}

/**
 * Runs one command of the operators.
 * @returns the exit code: 1 when the command was refused, with a line on stderr; 2 when it is no command
 */
export async function runCommand(args: string[], terminal: Terminal): Promise<number> {
  try {
    return await execute(args, terminal);
  } catch (error) {
    terminal.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
}

if (import.meta.main) {
  const { env: environment, stdout, stderr } = process;
  process.exitCode = await runCommand(process.argv.slice(2), { environment, stdout, stderr });
}
