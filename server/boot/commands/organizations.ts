// The operators' commands `organizations` and `accounts`.
import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { type Exported, exportOrganization } from "#db/transfer/export.ts";
import { type Imported, importOrganization } from "#db/transfer/import.ts";
import type { Ctx, System } from "../../base/context.ts";
import { decodeId, encodeId } from "../../base/ids.ts";
import { secretBox } from "../../base/secrets.ts";
import { newResetLink } from "../../organizations/emails.ts";
import { linkTo, newOwnerToken } from "../../organizations/links.ts";
import {
  createOrganization,
  findOrganization,
  listOrganizations,
  setCompanyRequired,
  setOwners,
  setPaidProvisioning,
  setSecondFactorRequired,
} from "../../organizations/organizations.ts";
import { resetSecondFactorByOperator } from "../../organizations/second-factor-setup.ts";
import { unlinkCompanyByOperator } from "../../organizations/unlink-company.ts";
import { organizationTarget, pauseByOperator, resumeByOperator } from "../../recipients/limits/pause.ts";
import { readPolicyOptions, setDefaultByOperator } from "../../sending/reviews/operator-policy.ts";
import { chooseBlobs } from "../assemble.ts";
import { migrateDatabase } from "../database.ts";
import { encryptionKey } from "../encryption-key.ts";
import { importRules } from "./import-rules.ts";
import { bad, list } from "./options.ts";
import type { Place, Session } from "./session.ts";

// The operators' commands `organizations export` and `organizations import`.
const KEY_BYTES = 32;

/** `key`: a file with the key that encrypts the secrets of the export. */
type TransferOptions = { key: string };

async function transferKey(file: string): Promise<Buffer> {
  const key = Buffer.from((await readFile(file, "utf8")).trim(), "base64");
  if (key.length !== KEY_BYTES) throw bad(`${file} must have ${KEY_BYTES} bytes in base64 (openssl rand -base64 32).`);
  return key;
}

async function optionsOf({ settings, log, url, directUrl, report }: Place, { key }: TransferOptions) {
  const boxes = { own: secretBox(encryptionKey(settings, log)), transfer: secretBox(await transferKey(key)) };
  await migrateDatabase(settings, { url, directUrl }, log);
  const { DATABASE_SCHEMA: schema, DEFAULT_DOMAIN: defaultDomain } = settings;
  return { url: directUrl, schema, defaultDomain, boxes, report };
}

/** @param organization its id or name @param options `to`: a new folder */
async function exportOne(
  place: Place,
  organization: string,
  options: TransferOptions & { to: string },
): Promise<Exported> {
  const { settings, log } = place;
  const blobs = chooseBlobs(settings, secretBox(encryptionKey(settings, log)));
  try {
    return await exportOrganization({
      ...(await optionsOf(place, options)),
      organization: decodeId("org", organization) ?? organization,
      folder: options.to,
      load: (organizationId, blob) => blobs.load(organizationId, { bytes: null, blob }),
    });
  } finally {
    await blobs.close();
  }
}

/** @param folder that an export has written */
async function importOne(place: Place, folder: string, options: TransferOptions): Promise<Imported> {
  return importOrganization({ ...(await optionsOf(place, options)), rules: importRules(place), folder });
}

type Changes = {
  owner?: string;
  paidProvisioning?: string;
  companySignIn?: string;
  secondFactor?: string;
  review?: string;
  reviewTtl?: string;
};

export function addOrganizationCommands(program: Command, session: Session): void {
  const { onService } = session;
  const organizations = program.command("organizations").description("the organizations of the service");
  organizations
    .command("create")
    .requiredOption("--name <name>", "its name, which no other has")
    .option("--owner <addresses>", "who is notified by mail when a webhook is disabled, with commas between")
    .description("add an organization")
    .action(({ name, owner }) => onService((ctx) => createOrganization(ctx, name, list(owner) ?? [])));
  organizations
    .command("update")
    .argument("<id|name>", "the organization")
    .option(
      "--owner <addresses>",
      'who is notified by mail when a webhook is disabled, in place of the list; "": nobody',
    )
    .option("--paid-provisioning <on|off>", "whether its creates ask for a payment (with PAYMENTS_ENABLED)")
    .option(
      "--company-sign-in <on|off>",
      "whether its members must sign in with their company account (with OIDC_ISSUER)",
    )
    .option(
      "--second-factor <on|off>",
      "whether its members must have a second factor, or sign in with their company account",
    )
    .option(
      "--review <none|first_contact|all>",
      "which messages of agents wait until a member approves them; first_contact: those with a recipient who never wrote first and for whom none was approved; mailboxes may have their own setting",
    )
    .option("--review-ttl <time>", "how long they wait before they are rejected, such as 72h: a number and m, h or d")
    .summary("change an organization")
    .description("change of an organization what is given, and nothing else")
    .action((id: string, changes: Changes) => onService((ctx) => updateOrganization(ctx, id, changes)));
  organizations
    .command("list")
    .description("show all organizations")
    .action(() => onService(async (ctx) => ({ data: await listOrganizations(ctx) })));
  addPauses(organizations, session);
  addLinks(program, organizations, session);
  addTransfers(organizations, session);
}

function addPauses(organizations: Command, { onService }: Session): void {
  const find = async (ctx: Ctx<System>, id: string) => organizationTarget((await findOrganization(ctx, id)).id);
  organizations
    .command("pause")
    .argument("<id|name>", "the organization")
    .option("--reason <text>", "why, for its members: at most 200 characters")
    .summary("stop all sending of an organization")
    .description(
      "stop all sending of an organization within a second, until the operator ends it with `resume`; its members cannot end it",
    )
    .action((id: string, options: { reason?: string }) =>
      onService(async (ctx) => pauseByOperator(ctx, await find(ctx, id), options.reason)),
    );
  organizations
    .command("resume")
    .argument("<id|name>", "the organization")
    .summary("end the pause of the operator")
    .description("end the pause that `pause` began; a pause that a member set stays")
    .action((id: string) => onService(async (ctx) => resumeByOperator(ctx, await find(ctx, id))));
}

function addLinks(program: Command, organizations: Command, { onService }: Session): void {
  organizations
    .command("owner-link")
    .argument("<id|name>", "the organization")
    .description("make a link that makes who opens it an owner; it works once")
    .action((id: string) =>
      onService(async (ctx) => {
        const organization = await findOrganization(ctx, id);
        return { link: linkTo(ctx.settings, await newOwnerToken(ctx, organization.id)) };
      }),
    );
  const accounts = program.command("accounts").description("the accounts of people");
  accounts
    .command("reset-link")
    .argument("<e-mail>", "the address of the account")
    .description("make a link to set a new password; it works once")
    .action((email: string) => onService(async (ctx) => ({ link: await newResetLink(ctx, email) })));
  accounts
    .command("reset-second-factor")
    .argument("<e-mail>", "the address of the account")
    .summary("remove the second factor of a person who lost their device")
    .description(
      "remove the second factor of a person who lost their device, and end their sessions; make sure first that it is they who ask",
    )
    .action((email: string) => onService((ctx) => resetSecondFactorByOperator(ctx, email)));
  accounts
    .command("unlink-company")
    .argument("<e-mail>", "the address of the account")
    .summary("unlink the company account of a person, so that another one can be linked")
    .description(
      "unlink the company account of a person, and end their sessions; the next company account that signs in with the address is linked, so remove a former colleague from the team first",
    )
    .action((email: string) => onService((ctx) => unlinkCompanyByOperator(ctx, email)));
}

function addTransfers(organizations: Command, { onDatabase }: Session): void {
  const key = [
    "--key <file>",
    "a file with 32 bytes in base64, which encrypts the secrets; make one with: openssl rand -base64 32",
  ] as const;
  organizations
    .command("export")
    .argument("<id|name>", "the organization")
    .requiredOption("--to <folder>", "a new folder")
    .requiredOption(...key)
    .summary("write one organization into a folder, while the service runs")
    .description("write one organization into a folder, its mail as an mbox, while the service runs")
    .action((id: string, options: TransferOptions & { to: string }) =>
      onDatabase((place) => exportOne(place, id, options)),
    );
  organizations
    .command("import")
    .argument("<folder>", "that an export has written")
    .requiredOption(...key)
    .description("add an exported organization to an installation of the same version")
    .action((folder: string, options: TransferOptions) => onDatabase((place) => importOne(place, folder, options)));
}

/** Each option may be given without the others. */
async function updateOrganization(ctx: Ctx<System>, organization: string, changes: Changes): Promise<object> {
  const {
    owner,
    paidProvisioning: paid,
    companySignIn: company,
    secondFactor: factor,
    review,
    reviewTtl: ttl,
  } = changes;
  if ([owner, paid, company, factor, review, ttl].every((option) => option === undefined)) {
    throw bad("--owner, --paid-provisioning, --company-sign-in, --second-factor, --review or --review-ttl is needed.");
  }
  if (paid !== undefined && paid !== "on" && paid !== "off") throw bad("paid-provisioning: on or off");
  if (company !== undefined && company !== "on" && company !== "off") throw bad("company-sign-in: on or off");
  if (factor !== undefined && factor !== "on" && factor !== "off") throw bad("second-factor: on or off");
  const policy = readPolicyOptions({ review, ttl });
  const { id } = await findOrganization(ctx, organization);
  const owned = owner === undefined ? {} : await setOwners(ctx, organization, list(owner) ?? []);
  const paying = paid === undefined ? owned : await setPaidProvisioning(ctx, organization, paid === "on");
  const signed = company === undefined ? paying : await setCompanyRequired(ctx, organization, company === "on");
  const shown = factor === undefined ? signed : await setSecondFactorRequired(ctx, organization, factor === "on");
  return policy ? { ...shown, id: encodeId("org", id), ...(await setDefaultByOperator(ctx, id, policy)) } : shown;
}
