// The operators' commands `enrollment-keys` and `agent-keys`.
import type { Command } from "commander";
import { DEFAULT_SCOPES, INBOX_ACCESS, type InboxAccess } from "#db/scopes.ts";
import { issueAgentKey } from "../../keys/issue-agent-key.ts";
import { issueEnrollmentKey } from "../../keys/issue-enrollment-key.ts";
import { listAgentKeys } from "../../keys/list-agents.ts";
import { listEnrollmentKeys } from "../../keys/list-enrollment-keys.ts";
import { revokeAgentKey, revokeEnrollmentKey } from "../../keys/revoke.ts";
import { updateEnrollmentKey } from "../../keys/update-enrollment-key.ts";
import { expiry, list, wholeNumber } from "./options.ts";
import type { Session } from "./session.ts";

const PAGE_ROWS = 100;
const EXPIRES_IN = ["--expires-in <time>", "such as 30d: a number and m, h or d; it never expires otherwise"] as const;

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

function readAccess(text: string): InboxAccess {
  const access = INBOX_ACCESS.find((known) => known === text);
  if (!access) throw new Error(`--inbox-access: ${text} is none of ${INBOX_ACCESS.join(" ")}`);
  return access;
}

export function addEnrollmentKeyCommands(program: Command, { onService }: Session): void {
  const keys = program.command("enrollment-keys").description("the keys that agents enroll with");
  keys
    .command("issue")
    .requiredOption("--organization <id|name>", "whose mailboxes its agents create")
    .requiredOption("--max-mailboxes <n>", "how many live mailboxes its agents have at most")
    .option(
      "--allowed-domains <domains>",
      "where they may create them, with commas between; each is granted to the organization; DEFAULT_DOMAIN otherwise",
    )
    .option("--scopes <scopes>", `what its agents may do, with commas between; ${DEFAULT_SCOPES.join(",")} otherwise`)
    .option(
      "--inbox-access <organization|own>",
      "own: each agent reaches only the mailboxes that it creates; otherwise all of the organization",
    )
    .option(...EXPIRES_IN)
    .option("--name <name>", "its name for people")
    .description("issue an enrollment key, which is shown once")
    .action(({ organization, maxMailboxes, allowedDomains, scopes, inboxAccess, expiresIn, name }) =>
      onService((ctx) =>
        issueEnrollmentKey(ctx, {
          organization,
          max_mailboxes: wholeNumber("max-mailboxes", maxMailboxes),
          allowed_domains: list(allowedDomains),
          scopes: list(scopes),
          inbox_access: inboxAccess === undefined ? undefined : readAccess(inboxAccess),
          expires_at: expiry(ctx, expiresIn),
          name,
        }),
      ),
    );
  keys
    .command("update")
    .argument("<id>", "the id ekey_…")
    .option("--name <name>", "its name for people")
    .option("--max-mailboxes <n>", "how many mailboxes it may create; at least as many as it has created")
    .option("--expires-in <time>", "such as 30d, from now")
    .description("change the name, the quota and the expiry of an enrollment key")
    .action((id: string, { name, maxMailboxes, expiresIn }) =>
      onService((ctx) =>
        updateEnrollmentKey(ctx, {
          id,
          name,
          max_mailboxes: maxMailboxes === undefined ? undefined : wholeNumber("max-mailboxes", maxMailboxes),
          expires_at: expiry(ctx, expiresIn),
        }),
      ),
    );
  keys
    .command("list")
    .description("show all enrollment keys, without their secrets")
    .action(() => onService((ctx) => everyPage((page) => listEnrollmentKeys(ctx, page))));
  keys
    .command("revoke")
    .argument("<id>", "the id ekey_…")
    .description("revoke an enrollment key, and the keys of the agents that it enrolled")
    .action((id: string) => onService((ctx) => revokeEnrollmentKey(ctx, id)));
}

export function addAgentKeyCommands(program: Command, { onService }: Session): void {
  const keys = program.command("agent-keys").description("the keys that agents call with");
  keys
    .command("issue")
    .requiredOption("--enrollment-key <id>", "the id ekey_… of the enrollment key above it")
    .requiredOption("--handle <handle>", "names the agent; the same handle is always the same agent")
    .option("--scopes <scopes>", "what it may do, with commas between; all otherwise")
    .option("--inboxes <addresses>", "the mailboxes that it may use, with commas between; all otherwise")
    .option("--outgoing-delay <seconds>", "how long its sends can be cancelled, up to 120; 0 otherwise", Number)
    .option(...EXPIRES_IN)
    .description("issue an agent key, which is shown once")
    .action(({ enrollmentKey, handle, scopes, inboxes, outgoingDelay, expiresIn }) =>
      onService((ctx) =>
        issueAgentKey(ctx, {
          enrollment_key: enrollmentKey,
          handle,
          scopes: list(scopes),
          inboxes: list(inboxes),
          outgoing_delay_seconds: outgoingDelay,
          expires_at: expiry(ctx, expiresIn),
        }),
      ),
    );
  keys
    .command("list")
    .description("show all agent keys, without their secrets")
    .action(() => onService((ctx) => everyPage((page) => listAgentKeys(ctx, page))));
  keys
    .command("revoke")
    .argument("<id>", "the id akey_…")
    .description("revoke an agent key")
    .action((id: string) => onService((ctx) => revokeAgentKey(ctx, id)));
}
