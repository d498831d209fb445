// What the inbox endpoints take and return on the wire (specification §2 and §4).
import { z } from "zod";
import { DOMAIN_CHARS } from "../base/addresses.ts";
import {
  addr,
  deleted,
  id,
  inboxAddress,
  line,
  moment,
  outgoingDelay,
  page,
  pageInput,
  prose,
} from "../base/fields.ts";
import { registeredWebhook } from "../webhooks/registered-schema.ts";

const LOCAL_CHARS = 64;
const CLIENT_ID_CHARS = 200;
const URL_CHARS = 2048;
export const QUERY_CHARS = 320;
const METADATA_KEYS = 50;
const METADATA_KEY_CHARS = 100;
const METADATA_VALUE_CHARS = 1000;
/** Above 32 bits, and exact in a JavaScript number (format registry of the OpenAPI Initiative). */
const BYTES_FORMAT = "double-int";
const EXAMPLE_METADATA = { customer: "c-1042" };

export const inboxFields = {
  id: id("inb", "Id of the mailbox."),
  address: inboxAddress.meta({ description: "Full mailbox address." }),
  status: z.literal("live").meta({ description: "A mailbox is `live` from its creation to its deletion." }),
};
const displayName = z.string().meta({ description: "Friendly name on outbound mail.", example: "Billing bot" });
const newDisplayName = line(100).meta({ description: "Friendly name on outbound mail.", example: "Billing bot" });
const newDelay = outgoingDelay.optional().meta({
  description:
    "What the mailbox sends stays `queued` so long, and can be cancelled. The larger delay of mailbox and key counts.",
  example: 30,
});
const metadataValue = z.union([prose(METADATA_VALUE_CHARS), z.number(), z.boolean()]);
const metadataKey = line(METADATA_KEY_CHARS).min(1);

export const createInput = z.object({
  username: z
    .string()
    .min(1)
    .max(LOCAL_CHARS)
    .toLowerCase()
    .regex(
      /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/,
      "letters, digits, `.`, `_` and `-`, no leading, trailing or doubled dot; what follows the @ goes into `domain`",
    )
    .optional()
    .meta({
      description: "Local part of the address. Default: a generated one of two readable words and digits.",
      example: "quiet-otter-4821",
    }),
  domain: z.string().min(1).max(DOMAIN_CHARS).optional().meta({
    description: "One of the key's allowed domains. Default: the shared domain of the service.",
  }),
  display_name: newDisplayName.optional(),
  client_id: line(CLIENT_ID_CHARS).min(1).optional().meta({
    description:
      "Idempotency key of the agent, as the header `Idempotency-Key`: a repeated `client_id` returns the same mailbox, or 409 with a `username` or `domain` of another address. Each agent has its own.",
    example: "signup-1042",
  }),
  inbound_webhook_url: z.string().max(URL_CHARS).optional().meta({
    description: "Registers a signed `message.received` webhook for this mailbox.",
  }),
  metadata: z
    .record(metadataKey, metadataValue)
    .refine((given) => Object.keys(given).length <= METADATA_KEYS, `at most ${METADATA_KEYS} keys`)
    .optional()
    .meta({ description: "Your own keys and values.", example: EXAMPLE_METADATA }),
  outgoing_delay_seconds: newDelay,
});
export type CreateInput = z.infer<typeof createInput>;

const inboxShape = z.object({
  id: inboxFields.id,
  address: inboxFields.address,
  display_name: displayName,
  domain: z.string().meta({ description: "Domain of the address.", example: "mail.localhost" }),
  status: inboxFields.status,
  created_at: moment("When the mailbox was created."),
  metadata: z.record(z.string(), metadataValue).meta({
    description: "Your own keys and values.",
    example: EXAMPLE_METADATA,
    maxProperties: METADATA_KEYS,
  }),
});
export const inbox = inboxShape.meta({ id: "Inbox" });
export const storageOutput = z
  .object({
    used_bytes: z.int().meta({
      description: "Bytes of stored mail, inbound and outbound.",
      example: 48_211,
      format: BYTES_FORMAT,
    }),
    limit_bytes: z.int().meta({ format: BYTES_FORMAT }).nullable().meta({
      description: "Storage quota of the mailbox. The service refuses mail beyond it. Null: there is no quota.",
      example: 1_073_741_824,
    }),
  })
  .meta({ id: "Storage" });
export const createOutput = inboxShape
  .extend({
    webhook: registeredWebhook.optional().meta({
      description: "Present only in the first answer to a create with `inbound_webhook_url`.",
    }),
  })
  .meta({ id: "CreatedInbox" });

/** A member's create: with an enrollment key of the organization, by its id. */
export const createWithInput = createInput
  .pick({ username: true, domain: true, display_name: true, client_id: true })
  .extend({ enrollment_key_id: z.string().max(100) });

export const listInput = z.object({
  ...pageInput,
  q: line(QUERY_CHARS)
    .trim()
    .meta({ description: "Returns only mailboxes with this in the address or name." })
    .optional(),
});
export const listOutput = page("InboxPage", z.object(inboxFields).meta({ id: "InboxSummary" }));
export const updateInput = z.object({
  addr,
  display_name: newDisplayName.optional(),
  metadata: z
    .record(metadataKey, metadataValue.nullable())
    .optional()
    .meta({
      description: `Merged into the stored metadata. Null deletes a key. At most ${METADATA_KEYS} keys remain.`,
      example: EXAMPLE_METADATA,
    }),
  catch_all: z.boolean().optional().meta({
    description:
      "Whether the mailbox takes mail to unknown addresses of its domain, which must be verified. One mailbox of a domain; a key needs `domain:manage`.",
    example: true,
  }),
  outgoing_delay_seconds: newDelay,
});
export const removeOutput = deleted("inb");
export { METADATA_KEYS };
