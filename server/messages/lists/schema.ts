// What the endpoints of allow and block lists take and return on the wire.
import { z } from "zod";
import { addr, line, moment, page, pageInput } from "../../base/fields.ts";
import { set_by_key } from "../suppressions/set-by.ts";

const ENTRY_CHARS = 320;
const REASON_CHARS = 200;

const entry = line(ENTRY_CHARS).min(1).meta({
  description: "An address, or a domain, which covers its subdomains.",
  example: "shop.example",
});

const listName = {
  direction: z.enum(["send", "receive"]).meta({
    description: "`send`: to whom mailboxes may write. `receive`: from whom they get mail.",
    example: "send",
  }),
  list: z.enum(["allow", "block"]).meta({ description: "The list.", example: "block" }),
  inbox: addr
    .meta({ description: "The mailbox whose list it is, by address or id. Omitted: the list of the organization." })
    .optional(),
};

export const listEntry = z
  .object({
    entry: z.string().meta({ description: "The address or domain, in lower case.", example: "shop.example" }),
    reason: z.string().nullable().meta({ description: "Why, as given.", example: "Sends only advertising" }),
    set_by: z.enum(["member", "agent"]).meta({
      description: "Who added it. Agents cannot remove or overrule the entries of members.",
      example: "member",
    }),
    set_by_key,
    created_at: moment("When the entry was added."),
  })
  .meta({ id: "ListEntry" });

export const listEntriesInput = z.object({
  ...listName,
  entry: entry.meta({ description: "Returns only this entry." }).optional(),
  ...pageInput,
});
export const listEntriesOutput = page("ListEntryPage", listEntry);
export const addListEntryInput = z.object({
  ...listName,
  entry,
  reason: line(REASON_CHARS)
    .min(1)
    .meta({ description: "Why, for people and in refusals.", example: "Sends only advertising" })
    .optional(),
});
export const removeListEntryInput = z.object({ ...listName, entry });
export const removeListEntryOutput = z
  .object({
    entry: z.string().meta({ description: "The entry.", example: "shop.example" }),
    deleted: z.literal(true).meta({ description: "Always true." }),
  })
  .meta({ id: "DeletedListEntry" });
