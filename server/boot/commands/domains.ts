// The operators' command `domains`.
import type { Command } from "commander";
import type { Settings } from "../../base/env.ts";
import { checkDefaultDomain } from "../../domains/default/check.ts";
import { rotateDefaultDkim } from "../../domains/default/rotate-dkim.ts";
import { readName } from "../../domains/name.ts";
import { checkHeldDomain, rotateHeldDkim } from "../../domains/operator/check.ts";
import { grantDomain, revokeDomain } from "../../domains/operator/grant.ts";
import { listAllDomains } from "../../domains/operator/list.ts";
import { showDomain } from "../../domains/operator/show.ts";
import { findOrganization } from "../../organizations/organizations.ts";
import type { Session } from "./session.ts";

export function addDomainCommands(program: Command, session: Session): void {
  const { onService } = session;
  const domains = program.command("domains").description("who may have mailboxes on which domain");
  domains
    .command("grant")
    .argument("<domain>")
    .requiredOption("--organization <id|name>", "who gets it")
    .option("--delete-mailboxes", "delete the mailboxes, with their mail, that other organizations have on the domain")
    .summary("keep a domain for one organization")
    .description(
      "keep a domain, and everything below it, for one organization until `domains revoke`; keys with --allowed-domains grant domains too, for as long as they are neither revoked nor expired",
    )
    .action((domain: string, { organization, deleteMailboxes = false }) =>
      onService(async (ctx) =>
        grantDomain(ctx, await findOrganization(ctx, organization), { domain, deleteMailboxes }),
      ),
    );
  domains
    .command("revoke")
    .argument("<domain>")
    .summary("end a grant, and the claim of an organization that verified the domain")
    .description(
      "end a grant, and the claim of an organization that verified the domain; its mailboxes still receive mail, but send none, until another organization gets the domain, and are deleted then",
    )
    .action((domain: string) => onService((ctx) => revokeDomain(ctx, domain)));
  domains
    .command("list")
    .description("show all domains")
    .action(() => onService(async (ctx) => ({ data: await listAllDomains(ctx) })));
  domains
    .command("show")
    .argument("<domain>")
    .description("show who claims or holds a domain, the state of each DNS record, and the grants")
    .action((domain: string) => onService(async (ctx) => ({ data: await showDomain(ctx, domain) })));
  addChecks(domains, session);
}

function addChecks(domains: Command, { onService }: Session): void {
  const isDefault = (domain: string | undefined, { DEFAULT_DOMAIN }: Settings) =>
    domain === undefined || readName(domain) === DEFAULT_DOMAIN;
  domains
    .command("check")
    .argument("[domain]", "one that was granted or verified; default: DEFAULT_DOMAIN")
    .description("show the DNS records that a domain needs, and whether DNS has them now")
    .action((domain?: string) =>
      onService(async (ctx) => ({
        data: isDefault(domain, ctx.settings)
          ? await checkDefaultDomain(ctx)
          : await checkHeldDomain(ctx, domain ?? ""),
      })),
    );
  domains
    .command("rotate-dkim")
    .argument("[domain]", "one that was granted or verified; default: DEFAULT_DOMAIN")
    .summary("make a second DKIM key for a domain")
    .description(
      "make a second DKIM key for a domain; publish its record: the key signs when the service finds it, within a minute; keep the record of the first key for 7 days after that",
    )
    .action((domain?: string) =>
      onService(async (ctx) => ({
        data: isDefault(domain, ctx.settings) ? await rotateDefaultDkim(ctx) : await rotateHeldDkim(ctx, domain ?? ""),
      })),
    );
}
