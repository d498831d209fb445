// The operator's command for organizations, domains and keys. It works whether or not the service is running.
import { parseArgs } from "node:util";
import type { Ctx, System } from "./base/context.ts";
import { readSettings, type Settings } from "./base/env.ts";
import { ServiceError } from "./base/errors.ts";
import { encodeId } from "./base/ids.ts";
import { createLog, type Logger } from "./base/log.ts";
import { USAGE } from "./boot/admin-usage.ts";
import { assemble } from "./boot/assemble.ts";
import { DATABASE_COMMANDS, giveWayToMail } from "./boot/commands/backups.ts";
import { BLOB_COMMANDS } from "./boot/commands/blobs.ts";
import { TRANSFERS } from "./boot/commands/transfers.ts";
import { commandDatabase, migrateDatabase } from "./boot/database.ts";
import { checkDefaultDomain } from "./domains/default/check.ts";
import { rotateDefaultDkim } from "./domains/default/rotate-dkim.ts";
import { grantDomain } from "./domains/operator/grant.ts";
import { listAllDomains } from "./domains/operator/list.ts";
import { revokeDomain } from "./domains/operator/revoke.ts";
import { showDomain } from "./domains/operator/show.ts";
import { recountStorage } from "./inboxes/storage.ts";
import { issueAgentKey } from "./keys/issue-agent-key.ts";
import { issueEnrollmentKey } from "./keys/issue-enrollment-key.ts";
import { listAgentKeys } from "./keys/list-agents.ts";
import { listEnrollmentKeys } from "./keys/list-enrollment-keys.ts";
import { revokeAgentKey, revokeEnrollmentKey } from "./keys/revoke.ts";
import { reparseMessages } from "./messages/inbound/reparse.ts";
import { setRetention } from "./messages/retention/set.ts";
import { readPolicyOptions, setDefaultByOperator } from "./messages/reviews/operator-policy.ts";
import { newResetLink } from "./organizations/letters.ts";
import { linkTo, newOwnerToken } from "./organizations/links.ts";
import {
  createOrganization,
  findOrganization,
  listOrganizations,
  setOwners,
  setPaidProvisioning,
} from "./organizations/organizations.ts";

const PAGE_ROWS = 100;
const NO_DOMAIN = "Name the domain.";
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

type Options = { [name: string]: string | boolean | undefined };
type Given = { option(name: string): string | undefined; needed(name: string): string; id: string | undefined } & {
  report(line: string): void;
};
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
    grantDomain(ctx, await findOrganization(ctx, given.needed("organization")), {
      domain: idOf(given, NO_DOMAIN),
      deleteMailboxes: given.option("delete-mailboxes") !== undefined,
    }),
  "domains list": async (ctx) => ({ data: await listAllDomains(ctx) }),
  "domains show": async (ctx, given) => ({ data: await showDomain(ctx, idOf(given, NO_DOMAIN)) }),
  "domains check": async (ctx) => ({ data: await checkDefaultDomain(ctx) }),
  "domains rotate-dkim": async (ctx) => ({ data: await rotateDefaultDkim(ctx) }),
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
  "messages retention": async (ctx, { option, needed }) =>
    setRetention(ctx, {
      organization: await findOrganization(ctx, needed("organization")),
      inbox: option("inbox"),
      days: needed("days"),
    }),
  "messages reparse": (ctx, given) =>
    reparseMessages(ctx, given.option("unparsed") ? undefined : idOf(given, "Name the message, or pass --unparsed.")),
  "accounts reset-link": async (ctx, given) => ({
    link: await newResetLink(ctx, idOf(given, "Name the account by its e-mail address.")),
  }),
  "storage recount": (ctx) => recountStorage(ctx),
  ...BLOB_COMMANDS,
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

/** Each option may be given without the others. */
async function updateOrganization(ctx: Ctx<System>, given: Given): Promise<object> {
  const organization = idOf(given, "Name the organization, by id or name.");
  const names = ["owner", "paid-provisioning", "review", "review-ttl"];
  const [owner, paid, review, ttl] = names.map((name) => given.option(name));
  if ([owner, paid, review, ttl].every((option) => option === undefined)) {
    throw bad("--owner, --paid-provisioning, --review or --review-ttl is needed.");
  }
  if (paid !== undefined && paid !== "on" && paid !== "off") throw bad("paid-provisioning: on or off");
  const policy = readPolicyOptions({ review, ttl });
  const { id } = await findOrganization(ctx, organization);
  const owned = owner === undefined ? {} : await setOwners(ctx, organization, list(owner) ?? []);
  const shown = paid === undefined ? owned : await setPaidProvisioning(ctx, organization, paid === "on");
  return policy ? { ...shown, id: encodeId("org", id), ...(await setDefaultByOperator(ctx, id, policy)) } : shown;
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

const TEXT = { type: "string" } as const;
const OPTIONS = {
  json: { type: "boolean" },
  help: { type: "boolean" },
  unparsed: { type: "boolean" },
  "delete-mailboxes": { type: "boolean" },
  name: TEXT,
  owner: TEXT,
  "paid-provisioning": TEXT,
  review: TEXT,
  "review-ttl": TEXT,
  organization: TEXT,
  "max-mailboxes": TEXT,
  "allowed-domains": TEXT,
  "expires-in": TEXT,
  "enrollment-key": TEXT,
  handle: TEXT,
  scopes: TEXT,
  inboxes: TEXT,
  inbox: TEXT,
  days: TEXT,
  to: TEXT,
  key: TEXT,
  grace: TEXT,
} as const;

function readCommand(args: string[]) {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  const [what = "", action = "", id, ...rest] = positionals;
  const options = values as Options;
  const run = rest.length === 0 ? ACTIONS[`${what} ${action}`] : undefined;
  const onDatabase = action !== "" && id === undefined ? DATABASE_COMMANDS[what] : undefined;
  const transfer = rest.length === 0 ? TRANSFERS[`${what} ${action}`] : undefined;
  const option = (name: string) => options[name] as string | undefined;
  const act = run
    ? (place: Place) => runAction(run, place, { options, id })
    : ((transfer && ((place: Place) => transfer({ ...place, id, option }))) ??
      (onDatabase && ((place: Place) => onDatabase({ ...place, file: action }))));
  return { act, options };
}

type Place = { settings: Settings; log: Logger; url: string; directUrl: string; report: (line: string) => void };

async function runAction(
  run: Action,
  { settings, log, url, directUrl, report }: Place,
  { options, id }: { options: Options; id: string | undefined },
): Promise<object> {
  await migrateDatabase(settings, { url, directUrl }, log);
  const assembled = await assemble(settings, log, url);
  try {
    const option = (name: string) => options[name] as string | undefined;
    const needed = (name: string) => {
      const value = option(name);
      if (value === undefined) throw bad(`--${name} is needed.`);
      return value;
    };
    return await run(assembled.system, { option, needed, id, report });
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
  const { url, directUrl, stop } = await commandDatabase(settings, log);
  try {
    const result = await act({ settings, log, url, directUrl, report: (line) => stderr.write(`${line}\n`) });
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
  const args = process.argv.slice(2);
  if (args[0] === "backup") giveWayToMail();
  process.exitCode = await runCommand(args, { environment, stdout, stderr });
}
