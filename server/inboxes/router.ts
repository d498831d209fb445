// The procedures of mailboxes that exist: list, get, change, delete.
import { addrInput } from "../base/fields.ts";
import { encodeId } from "../base/ids.ts";
import { findInbox } from "../base/tenancy.ts";
import { callerProcedure, rest, router } from "../procedures/procedures.ts";
import { listInboxes } from "./list.ts";
import { removeInbox } from "./remove.ts";
import { inbox, listInput, listOutput, removeOutput, storageOutput, updateInput } from "./schema.ts";
import { readStorage } from "./storage/state.ts";
import { updateInbox } from "./update.ts";
import { inboxView } from "./view.ts";

const tags = ["inboxes"];

export const inboxesRouter = router({
  list: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/inboxes", "listInboxes", {
        tags,
        summary: "List mailboxes",
        description: "Returns the mailboxes that the key may read, newest first.",
        successDescription: "A page of mailboxes.",
        mcp: "list_inboxes",
        errors: ["insufficient_scope", "invalid_cursor"],
      }),
    )
    .input(listInput)
    .output(listOutput)
    .query(({ ctx, input }) => listInboxes(ctx, input)),

  get: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/inboxes/{addr}", "getInbox", {
        tags,
        summary: "Get a mailbox",
        description: "Returns one mailbox.",
        successDescription: "The mailbox.",
        isLookup: true,
        errors: ["insufficient_scope", "inbox_not_found"],
      }),
    )
    .input(addrInput)
    .output(inbox)
    .query(async ({ ctx, input }) => inboxView(await findInbox(ctx, input.addr))),

  storage: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/inboxes/{addr}/storage", "getStorage", {
        tags,
        summary: "Get the storage use of a mailbox",
        description:
          "Returns how much mail the mailbox stores, and its quota. A message counts as its size, and as at least 4,096 bytes. Deleting messages frees storage.",
        successDescription: "The storage use.",
        errors: ["insufficient_scope", "inbox_not_found"],
      }),
    )
    .input(addrInput)
    .output(storageOutput)
    .query(async ({ ctx, input }) => readStorage(ctx, await findInbox(ctx, input.addr))),

  update: callerProcedure("mailbox:create", "member")
    .meta(
      rest("PATCH /v1/inboxes/{addr}", "updateInbox", {
        tags,
        summary: "Update a mailbox",
        description:
          "Changes the display name, merges the metadata, or makes the mailbox the catch-all of its domain. Omitted fields stay as they are.",
        successDescription: "The updated mailbox.",
        errors: ["insufficient_scope", "domain_not_verified", "inbox_not_found", "catch_all_taken"],
      }),
    )
    .input(updateInput)
    .output(inbox)
    .mutation(async ({ ctx, input }) => inboxView(await updateInbox(ctx, input))),

  remove: callerProcedure("mailbox:delete", "admin")
    .meta(
      rest("DELETE /v1/inboxes/{addr}", "deleteInbox", {
        tags,
        summary: "Delete a mailbox",
        description:
          "Deletes the mailbox, its sender identity and its stored mail. Deletion cannot be undone and does not restore quota.",
        successDescription: "The mailbox is deleted.",
        mcp: "delete_inbox",
        errors: ["insufficient_scope", "inbox_not_found"],
      }),
    )
    .input(addrInput)
    .output(removeOutput)
    .mutation(async ({ ctx, input }) => ({
      id: encodeId("inb", await removeInbox(ctx, input.addr)),
      deleted: true as const,
    })),
});
