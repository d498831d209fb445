// The procedures of allow and block lists: list, add, remove.
import { z } from "zod";
import { addr, line, moment, page, pageInput } from "../../base/fields.ts";
import { callerProcedure, memberProcedure, rest, router } from "../../procedures/procedures.ts";
import { set_by_key, setByView } from "../suppressions/set-by.ts";
import { addListEntry } from "./add.ts";
import { type EntryRow, listAllEntries, listEntriesOf, type NamedEntryRow } from "./list.ts";
import { removeListEntry } from "./remove.ts";

// What the endpoints of allow and block lists take and return on the wire.
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
  list: z.enum(["allow", "block", "trusted"]).meta({
    description: "The list. `trusted`: senders whose authenticated mail is never quarantined; only with `receive`.",
    example: "block",
  }),
  inbox: addr
    .meta({ description: "The mailbox whose list it is, by address or id. Omitted: the list of the organization." })
    .optional(),
};

const listEntry = z
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

const listEntriesInput = z.object({
  ...listName,
  entry: entry.meta({ description: "Returns only this entry." }).optional(),
  ...pageInput,
});
const listEntriesOutput = page("ListEntryPage", listEntry);
const allEntriesInput = z.object({
  direction: listName.direction.optional(),
  list: listName.list.optional(),
  contains: line(ENTRY_CHARS).min(1).optional(),
  ...pageInput,
});
const { direction, list } = listName;
const allEntriesOutput = page(
  "NamedListEntryPage",
  listEntry.extend({ direction, list, inbox: z.string().nullable() }).meta({ id: "NamedListEntry" }),
);
const addListEntryInput = z.object({
  ...listName,
  entry,
  reason: line(REASON_CHARS)
    .min(1)
    .meta({ description: "Why, for people and in refusals.", example: "Sends only advertising" })
    .optional(),
});
const removeListEntryInput = z.object({ ...listName, entry });
const removeListEntryOutput = z
  .object({
    entry: z.string().meta({ description: "The entry.", example: "shop.example" }),
    deleted: z.literal(true).meta({ description: "Always true." }),
  })
  .meta({ id: "DeletedListEntry" });

const tags = ["lists"];

function view({ entry, reason, created_at, ...setBy }: EntryRow) {
  return { entry, reason, ...setByView(setBy), created_at: created_at.toISOString() };
}

function namedView({ direction, list, inbox, ...row }: NamedEntryRow) {
  return { direction, list, inbox, ...view(row) };
}

export const listsRouter = router({
  list: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/lists/{direction}/{list}", "listListEntries", {
        tags,
        summary: "List the entries of an allow or block list",
        description:
          "Returns entries, newest first: of one mailbox with `inbox`, otherwise of the organization. The lists of the mailbox decide before those of the organization. In both, an address decides before a domain, a domain before the domain above it, and a block entry before an equal allow entry. An allow list with entries refuses all other addresses. What the entries of members alone refuse stays refused, whatever agents allow.",
        successDescription: "A page of entries.",
        errors: ["insufficient_scope", "inbox_not_found", "invalid_cursor"],
      }),
    )
    .input(listEntriesInput)
    .output(listEntriesOutput)
    .query(async ({ ctx, input }) => {
      const { rows, next_cursor } = await listEntriesOf(ctx, input);
      return { data: rows.map(view), next_cursor };
    }),

  all: memberProcedure("member")
    .input(allEntriesInput)
    .output(allEntriesOutput)
    .query(async ({ ctx, input }) => {
      const { rows, next_cursor } = await listAllEntries(ctx, input);
      return { data: rows.map(namedView), next_cursor };
    }),

  add: callerProcedure("list:manage", "admin")
    .meta(
      rest("POST /v1/lists/{direction}/{list}", "createListEntry", {
        tags,
        summary: "Add an address or domain to an allow or block list",
        description:
          "With `send`, a send to a refused address answers `403 recipient_blocked`. With `receive`, mail of a refused sender gets `550` after DATA: a block entry covers the From address and the envelope sender, and an allow entry only a From address that passed DMARC. Returns the existing entry if there is one. Agents cannot add an entry that a member added to the opposite list, and cannot allow what entries of members refuse.",
        successDescription: "The entry.",
        idempotency: "stored",
        status: 201,
        errors: ["insufficient_scope", "inbox_not_found", "too_many_list_entries"],
      }),
    )
    .input(addListEntryInput)
    .output(listEntry)
    .mutation(async ({ ctx, input }) => view(await addListEntry(ctx, input))),

  remove: callerProcedure("list:manage", "admin")
    .meta(
      rest("DELETE /v1/lists/{direction}/{list}", "deleteListEntry", {
        tags,
        summary: "Remove an entry from an allow or block list",
        description: "Removes the entry named by `entry`. An allow list without entries allows everyone.",
        successDescription: "The entry is removed.",
        errors: ["insufficient_scope", "inbox_not_found", "list_entry_not_found"],
      }),
    )
    .input(removeListEntryInput)
    .output(removeListEntryOutput)
    .mutation(async ({ ctx, input }) => ({ entry: await removeListEntry(ctx, input), deleted: true as const })),
});
