// What the procedures of domains take and return on the wire.
import { z } from "zod";
import { RECORD_PURPOSES } from "#db/domain-records.ts";
import { deleted, id, moment, page, pageInput } from "../base/fields.ts";

const NAME_CHARS = 300;
const OBSERVED_MAX = 5;
const RECORDS_MAX = 20;
const OUTCOMES_MAX = 7;

const name = z.string().max(NAME_CHARS);

export const claimInput = z.object({
  domain: name.min(1).meta({
    description: "The domain, in Unicode or ASCII form. A trailing dot is removed.",
    example: "example.com",
  }),
});
export const domainInput = z.object({
  domain: name.meta({ description: "The domain, or its id.", example: "example.com" }),
});
export const listDomainsInput = z.object(pageInput);

const part = (what: string) =>
  z
    .object({
      status: z.enum(["pending", "ready", "failing"]).meta({
        description:
          "`ready`: all records were found. `failing`: a record is wrong, or was found before and is now missing. `pending`: a record was never found.",
      }),
      reason: z.string().nullable().meta({ description: "What is missing. Null: nothing.", example: null }),
    })
    .meta({ description: what });

const record = z
  .object({
    purpose: z.enum(RECORD_PURPOSES).meta({ description: "What the record is for." }),
    type: z.enum(["TXT", "MX", "CNAME"]).meta({ description: "Type of the record." }),
    name: z.string().meta({ description: "Full name of the record.", example: "_mailberth.example.com" }),
    value: z.string().meta({
      description: "Value of the record.",
      example: "mailberth-verification=4f1d7c0a9be24c55a1e5d2b8c3f6a7908d1e2f30",
    }),
    priority: z.int().nullable().meta({ description: "Priority of an MX record, otherwise null.", example: null }),
    status: z.enum(["missing", "mismatch", "found"]).meta({ description: "Result of the last check." }),
    observed: z
      .array(z.string().meta({ example: "mailberth-verification=4f1d7c0a9be24c55a1e5d2b8c3f6a7908d1e2f30" }))
      .meta({ description: "What DNS answered at the last check.", maxItems: OBSERVED_MAX }),
    fix: z.string().nullable().meta({ description: "What to do. Null: nothing.", example: null }),
  })
  .meta({ id: "DomainRecord" });

export const domainOutput = z
  .object({
    id: id("dom", "Id of the domain."),
    domain: z.string().meta({ description: "The domain in lower-case ASCII.", example: "example.com" }),
    status: z.enum(["pending", "verified", "lost"]).meta({
      description:
        "`pending`: ownership is not proven. `verified`: the domain and its subdomains belong to the organization. `lost`: the ownership record was missing for 72 hours. Then the domain still receives mail, but sends none and gets no new mailboxes.",
    }),
    granted: z.boolean().meta({
      description:
        "Whether the operator granted the domain to the organization: then its mail leaves without proof of ownership, and is signed once DNS has the DKIM record.",
      example: false,
    }),
    ownership: part("Whether the organization owns the domain."),
    sending: part(
      "Whether mail can be sent from the domain: SPF, DKIM and return path. From a granted domain, mail can be sent before.",
    ),
    receiving: part("Whether mail to the domain arrives here: MX."),
    outcomes: z
      .object({
        by: z
          .array(z.enum(["local", "return_path", "resend", "ses", "postmark", "mailgun", "sendgrid"]))
          .meta({ description: "Empty: they do not become known.", maxItems: OUTCOMES_MAX, example: ["return_path"] }),
        reason: z.string().nullable().meta({ description: "What is missing. Null: nothing.", example: null }),
      })
      .meta({ description: "How bounces, complaints and deliveries become known." }),
    catch_all: z.string().nullable().meta({
      description: "The mailbox that takes mail to unknown addresses of the domain. Null: none.",
      example: null,
    }),
    records: z.array(record).meta({ description: "The DNS records that the domain needs.", maxItems: RECORDS_MAX }),
    created_at: moment("When the domain was added."),
    verified_at: moment().nullable().meta({ description: "When it was verified last. Null: never.", example: null }),
    last_checked_at: moment().nullable().meta({ description: "When DNS was checked last.", example: null }),
    next_check_at: moment("When DNS is checked next."),
  })
  .meta({ id: "Domain" });

export const listDomainsOutput = page("DomainPage", domainOutput);
export const deletedDomainOutput = deleted("dom");
