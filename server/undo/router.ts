// The procedures of the activity of keys: list, undo.
import { encodeId } from "../base/ids.ts";
import { callerProcedure, rest, router } from "../procedures/procedures.ts";
import { listActivity, notUndoneView } from "./list.ts";
import { activityInput, activityOutput, undoInput, undoOutput } from "./schema.ts";
import { undoKey } from "./undo.ts";

const tags = ["keys"];

export const undoRouter = router({
  activity: callerProcedure(undefined, "member")
    .meta(
      rest("GET /v1/keys/{id}/activity", "listKeyActivity", {
        tags,
        summary: "List what a key changed",
        description: "Lists each change by the key, newest first: its own, or that of a key below it.",
        successDescription: "A page of changes.",
        errors: ["agent_key_not_found", "invalid_cursor"],
      }),
    )
    .input(activityInput)
    .output(activityOutput)
    .query(({ ctx, input }) => listActivity(ctx, input)),

  undo: callerProcedure("key:issue", "admin")
    .meta(
      rest("POST /v1/keys/{id}/undo", "undoKey", {
        tags,
        summary: "Undo what a key changed",
        description:
          "Revokes a key below this key, with the keys that it issued, and takes back what they changed since a time. What cannot be taken back is listed with the reason: mail that left, deleted mailboxes, erased mail, claimed codes, payments, and what others changed since. A repeated call continues.",
        successDescription: "What was undone, and what was not.",
        isAct: (input) => !(typeof input === "object" && input !== null && Reflect.get(input, "dry_run") === true),
        errors: ["insufficient_scope", "agent_key_not_found"],
      }),
    )
    .input(undoInput)
    .output(undoOutput)
    .mutation(async ({ ctx, input }) => {
      const { verbs, not_undone, ...undone } = await undoKey(ctx, input);
      return {
        id: input.id,
        ...undone,
        operations: verbs,
        not_undone: not_undone.map((each) => ({
          activity_id: encodeId("act", each.activity_id),
          verb: each.verb,
          ...notUndoneView(each),
          created_at: each.created_at.toISOString(),
        })),
      };
    }),
});
