// The procedures of domains: claim, verify, list, delete, and the records to publish.
import { encodeId } from "../base/ids.ts";
import { callerProcedure, downloadOutput, rest, router } from "../procedures/procedures.ts";
import { claimDomain } from "./claim.ts";
import { downloadZone } from "./download-zone.ts";
import { findDomain, listDomains } from "./find.ts";
import { removeDomain } from "./remove.ts";
import { rotateDkim } from "./rotate-dkim.ts";
import {
  claimInput,
  deletedDomainOutput,
  domainInput,
  domainOutput,
  listDomainsInput,
  listDomainsOutput,
} from "./schema.ts";
import { verifyDomain } from "./verify.ts";
import { domainView } from "./view.ts";

const tags = ["domains"];

export const domainsRouter = router({
  create: callerProcedure("domain:manage", "admin")
    .meta(
      rest("POST /v1/domains", "createDomain", {
        tags,
        summary: "Add a domain",
        description:
          "Adds a domain that the organization owns, and returns the DNS records to publish. The domain can be used once its ownership record was found: the service checks DNS every minute for an hour, then less often. A domain that the organization has added before is returned as it is.",
        successDescription: "The domain with its DNS records.",
        idempotency: "stored",
        status: 201,
        errors: ["insufficient_scope", "domain_taken", "too_many_domains"],
      }),
    )
    .input(claimInput)
    .output(domainOutput)
    .mutation(async ({ ctx, input }) => domainView(ctx, await claimDomain(ctx, input))),

  list: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/domains", "listDomains", {
        tags,
        summary: "List domains",
        description: "Returns the domains of the organization, newest first.",
        successDescription: "A page of domains.",
        errors: ["insufficient_scope", "invalid_cursor"],
      }),
    )
    .input(listDomainsInput)
    .output(listDomainsOutput)
    .query(async ({ ctx, input }) => {
      const page = await listDomains(ctx, input);
      return { data: page.rows.map((row) => domainView(ctx, row)), next_cursor: page.next_cursor };
    }),

  get: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/domains/{domain}", "getDomain", {
        tags,
        summary: "Get a domain",
        description: "Returns one domain with its DNS records and the result of the last check.",
        successDescription: "The domain.",
        errors: ["insufficient_scope", "domain_not_found"],
      }),
    )
    .input(domainInput)
    .output(domainOutput)
    .query(async ({ ctx, input }) => domainView(ctx, await findDomain(ctx, input.domain))),

  verify: callerProcedure("domain:manage", "admin")
    .meta(
      rest("POST /v1/domains/{domain}/verify", "verifyDomain", {
        tags,
        summary: "Check the DNS records of a domain",
        description:
          "Checks DNS now and returns the result, at most once every 10 seconds for a domain. The domain is verified when its ownership record was found and no other organization holds it. It includes everything below it, except what another organization verified before.",
        successDescription: "The domain after the check.",
        errors: ["insufficient_scope", "domain_not_found", "domain_taken"],
      }),
    )
    .input(domainInput)
    .output(domainOutput)
    .mutation(async ({ ctx, input }) => domainView(ctx, await verifyDomain(ctx, input.domain))),

  zoneFile: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/domains/{domain}/zone-file", "getDomainZoneFile", {
        tags,
        summary: "Download the records of a domain",
        description:
          "Returns the DNS records of the domain as a zone file in BIND's syntax, which most DNS providers import. TXT values are split into strings of at most 255 bytes.",
        successDescription: "The zone file.",
        produces: "text/plain",
        errors: ["insufficient_scope", "domain_not_found"],
      }),
    )
    .input(domainInput)
    .output(downloadOutput)
    .query(async ({ ctx, input }) => ctx.request.send(await downloadZone(ctx, input.domain))),

  rotateDkim: callerProcedure("domain:manage", "admin")
    .meta(
      rest("POST /v1/domains/{domain}/rotate-dkim", "rotateDomainDkim", {
        tags,
        summary: "Rotate the DKIM key of a domain",
        description:
          "Makes a second DKIM key and adds its record. The first key signs until a check finds the second in DNS. Keep the record of the first key for 7 days after that. Refused with OUTBOUND=resend, because Resend has the keys.",
        successDescription: "The domain with the record of the new key.",
        idempotency: "stored",
        errors: ["insufficient_scope", "domain_not_found"],
      }),
    )
    .input(domainInput)
    .output(domainOutput)
    .mutation(async ({ ctx, input }) => domainView(ctx, await rotateDkim(ctx, input.domain))),

  remove: callerProcedure("domain:manage", "admin")
    .meta(
      rest("DELETE /v1/domains/{domain}", "deleteDomain", {
        tags,
        summary: "Delete a domain",
        description:
          "Deletes the domain and its DKIM keys. Other organizations can verify it afterwards. Refused while live mailboxes exist on the domain or its subdomains. With OUTBOUND=resend, it is removed at Resend too.",
        successDescription: "The domain is deleted.",
        errors: ["insufficient_scope", "domain_not_found", "domain_in_use"],
      }),
    )
    .input(domainInput)
    .output(deletedDomainOutput)
    .mutation(async ({ ctx, input }) => ({
      id: encodeId("dom", await removeDomain(ctx, input.domain)),
      deleted: true as const,
    })),
});
