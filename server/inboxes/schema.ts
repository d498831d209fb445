// What the inbox endpoints take and give on the wire (specification §2 and §4).
import { z } from "zod";
import { addr, line, moment, pageInput, prose } from "../base/fields.ts";

const LOCAL_CHARS = 64;
const DOMAIN_CHARS = 253;
const CLIENT_ID_CHARS = 200;
const URL_CHARS = 2048;
const QUERY_CHARS = 320;
const METADATA_KEYS = 50;
const METADATA_KEY_CHARS = 100;
const METADATA_VALUE_CHARS = 1000;

const inboxFields = {
  id: z.string().meta({ example: "inb_01jd3m9v5sf0b8j3mgz7qk2x4c" }),
  address: z.string().meta({ example: "quiet-otter-4821@mail.localhost" }),
  status: z.literal("live"),
};
const metadataValue = z.union([prose(METADATA_VALUE_CHARS), z.number(), z.boolean()]);
const metadataKey = line(METADATA_KEY_CHARS).min(1);

const webhookOfInbox = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.literal("message.received")),
  secret: z.string().meta({ description: "Signs this webhook's deliveries. Shown only here." }),
});

export const createInput = z.object({
  username: z
    .string()
    .min(1)
    .max(LOCAL_CHARS)
    .toLowerCase()
    .regex(/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/, "letters, digits, `.`, `_` and `-`, no leading, trailing or doubled dot")
    .optional()
    .meta({ description: "Local part; two readable words and digits when omitted." }),
  domain: z.string().min(1).max(DOMAIN_CHARS).optional().meta({ description: "One of the key's allowed domains." }),
  display_name: line(100).optional().meta({ description: "Friendly name on outbound mail." }),
  client_id: line(CLIENT_ID_CHARS)
    .min(1)
    .optional()
    .meta({ description: "Idempotency key: the same one is the same mailbox." }),
  inbound_webhook_url: z
    .string()
    .max(URL_CHARS)
    .optional()
    .meta({ description: "Registers a signed `message.received` webhook for this mailbox." }),
});

export const inbox = z.object({
  id: inboxFields.id,
  address: inboxFields.address,
  display_name: z.string(),
  domain: z.string(),
  status: inboxFields.status,
  created_at: moment(),
  metadata: z.record(z.string(), metadataValue),
});
export const storageOutput = z.object({
  used_bytes: z.int().meta({ description: "Stored mail of this mailbox, in both directions." }),
  limit_bytes: z.int().nullable().meta({ description: "Its quota; null: none. Mail over it is refused." }),
});
export const createOutput = inbox.extend({
  webhook: webhookOfInbox
    .optional()
    .meta({ description: "Only in the first answer to a create with `inbound_webhook_url`." }),
});

/** A member's create: with an enrollment key of the organization, by its id. */
export const createWithInput = createInput
  .pick({ username: true, domain: true, display_name: true, client_id: true })
  .extend({ enrollment_key_id: z.string().max(100) });

/** Unread mail of one mailbox is counted this far. */
export const COUNTED_UNREAD = 100;

/** `q`: a part of the address or of the display name; `addr`: one mailbox alone. */
export const summariesInput = z.object({
  ...pageInput,
  q: line(QUERY_CHARS).trim().optional(),
  addr: addr.optional(),
});
export type SummariesInput = z.infer<typeof summariesInput>;
export const summariesOutput = z.object({
  data: z.array(
    z.object({
      id: inboxFields.id,
      address: inboxFields.address,
      display_name: z.string(),
      created_at: moment(),
      /** Up to COUNTED_UNREAD. */
      unread: z.int(),
      /** The newest in either direction. */
      last_message: z
        .object({
          id: z.string(),
          direction: z.enum(["inbound", "outbound"]),
          from: z.string(),
          from_name: z.string().nullable(),
          subject: z.string(),
          at: moment(),
        })
        .nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
});

export const listInput = z.object(pageInput);
export const listOutput = z.object({ data: z.array(z.object(inboxFields)), next_cursor: z.string().nullable() });
export const updateInput = z.object({
  addr,
  display_name: line(100).optional(),
  metadata: z
    .record(metadataKey, metadataValue.nullable())
    .optional()
    .meta({ description: `Merged into what is there, null deletes a key; at most ${METADATA_KEYS} keys.` }),
});
export const removeOutput = z.object({ id: z.string(), deleted: z.literal(true) });
export { METADATA_KEYS };
