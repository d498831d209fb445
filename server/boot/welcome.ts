// The text that ends a start: where everything is, and the first key and the owner link when they are new.
import { asc, notExists } from "drizzle-orm";
import { organizations } from "#db/schema/enrollment.ts";
import { users } from "#db/schema/team.ts";
import type { Ctx, System } from "../base/context.ts";
import type { Settings } from "../base/env.ts";
import { ADMIN_COMMAND } from "../base/errors/admin-command.ts";
import { ServiceError } from "../base/errors.ts";
import { encodeId } from "../base/ids.ts";
import { version } from "../base/version.ts";
import { issueEnrollmentKey } from "../keys/issue-enrollment-key.ts";
import { newOwnerToken } from "../organizations/links.ts";
import { createOrganization, listOrganizations } from "../organizations/organizations.ts";
import type { Service } from "./service.ts";

// Prepares an empty database: creates an organization, an enrollment key, and a link for its owner.
const ORGANIZATION = "Default";
const MAILBOXES = 1000;
/** Needs no quotes in a shell. */
const PLAIN_NAME = /^[\w.-]+$/;

type FirstStart = {
  /** Set only on the first start of a database. */
  enrollmentKey: string | undefined;
  /** Set while there is no account: how to create the first one. */
  owner: FirstOwner | undefined;
};

/**
 * `token`: a link for the first owner, which replaces those of earlier starts. Only if no other machine can reach the
 * service, because the output may go to a log. Otherwise `organization`: the name or id for the operator's command.
 */
type FirstOwner = { token: string } | { organization: string };

async function firstStart(ctx: Ctx<System>): Promise<FirstStart> {
  const enrollmentKey = (await listOrganizations(ctx)).length > 0 ? undefined : await begin(ctx);
  return { enrollmentKey, owner: ctx.settings.ROLES.includes("web") ? await firstOwner(ctx) : undefined };
}

async function begin(ctx: Ctx<System>): Promise<string | undefined> {
  try {
    await createOrganization(ctx, ORGANIZATION);
  } catch (error) {
    if (error instanceof ServiceError) return; // another process created the organization first
    throw error;
  }
  const issued = await issueEnrollmentKey(ctx, {
    organization: ORGANIZATION,
    max_mailboxes: MAILBOXES,
    inbox_access: "own",
    name: "First key",
  });
  return issued.key;
}

async function firstOwner(ctx: Ctx<System>): Promise<FirstOwner | undefined> {
  const [oldest] = await ctx.db
    .select({ id: organizations.id, name: organizations.name })
    .from(organizations)
    .where(notExists(ctx.db.select({ id: users.id }).from(users)))
    .orderBy(asc(organizations.id))
    .limit(1);
  if (!oldest) return undefined;
  if (ctx.settings.LOCAL_ONLY) return { token: await newOwnerToken(ctx, oldest.id) };
  return { organization: PLAIN_NAME.test(oldest.name) ? oldest.name : encodeId("org", oldest.id) };
}

const OWNER_LINK_COMMAND = `${ADMIN_COMMAND} organizations owner-link`;

function ownerLines(base: string, owner: FirstOwner): string[] {
  const [says, what] =
    "token" in owner
      ? [
          "Open this link to become the owner. It works once, for 7 days. The next start replaces it:",
          `${base}/join#${owner.token}`,
        ]
      : ["This command prints a link to become the owner:", `${OWNER_LINK_COMMAND} ${owner.organization}`];
  return [`  There is no account yet. ${says}`, "", `  ${what}`, ""];
}

/**
 * The first information an operator needs, in about twenty lines. Waits for the pages, because it says that they are ready.
 * @returns nothing when the service was stopped before
 */
export async function welcome(settings: Settings, service: Service): Promise<string> {
  const pages = await service.pages;
  if (pages === "building") return "";
  return `${linesOf(settings, service, pages, await firstStart(service.system)).join("\n")}\n`;
}

function linesOf(
  settings: Settings,
  { port, smtpPort }: Service,
  pages: Awaited<Service["pages"]>,
  { enrollmentKey, owner }: FirstStart,
): string[] {
  const base = settings.PUBLIC_URL.replace(/:0$/, `:${port}`);
  const sends = {
    local: "delivered locally; mail to other services is stored, not sent",
    smtp: "through your relay",
    resend: "over Resend",
  };
  const lines = [
    "",
    pages === "failed"
      ? `  Mailberth ${version} runs without its pages: they could not be built. The reason is in the log above.`
      : `  Mailberth ${version} is ready.`,
    "",
    ...(pages === "ready" ? [`  Start here   ${base}`, `  Dashboard    ${base}/dashboard`] : []),
    `  REST         ${base}/v1   (described at /v1/openapi.json)`,
    ...(smtpPort === undefined ? [] : [`  Mail in      ${settings.HOST}:${smtpPort} for …@${settings.DEFAULT_DOMAIN}`]),
    `  Mail out     ${sends[settings.OUTBOUND]}`,
    "",
  ];
  if (owner) lines.push(...ownerLines(base, owner));
  if (enrollmentKey) {
    const body = JSON.stringify({ token: enrollmentKey, agent_handle: "first-agent" });
    lines.push(
      "  An enrollment key was created. It is shown only once. Paste this to get your first agent key:",
      "",
      `  curl -s ${base}/v1/enroll -H 'Content-Type: application/json' -d '${body}'`,
      "",
      ...(pages === "ready" ? [`  Then read the code of a first mail: ${base}/guides/quickstart`, ""] : []),
    );
  }
  return lines;
}
