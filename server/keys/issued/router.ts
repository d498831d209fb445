// The procedures of narrower keys, which agents issue from their own key.
import { deleted } from "../../base/fields.ts";
import { encodeId } from "../../base/ids.ts";
import { agentProcedure, rest, router } from "../../procedures/procedures.ts";
import { revokeAgentKey } from "../revoke.ts";
import { issueNarrowerKey } from "./issue.ts";
import { getIssuedKey, listIssuedKeys } from "./list.ts";
import {
  agentKeyIdInput,
  issueAgentKeyInput,
  issueAgentKeyOutput,
  issuedKey,
  issuedPageInput,
  issuedPageOutput,
} from "./schema.ts";

const tags = ["keys"];
const SCOPE = "key:issue";

export const issuedKeysRouter = router({
  issue: agentProcedure(SCOPE)
    .meta(
      rest("POST /v1/keys", "createKey", {
        tags,
        summary: "Issue a narrower key",
        description:
          "Issues an agent key for a part of the work of this key: some of its scopes, some of its mailboxes, an earlier expiry, a limit of recipients. It ends when this key is revoked or expires.",
        successDescription: "The key.",
        idempotency: "stored",
        mcp: "create_key",
        status: 201,
        errors: ["insufficient_scope", "inbox_not_found", "too_many_agent_keys"],
      }),
    )
    .input(issueAgentKeyInput)
    .output(issueAgentKeyOutput)
    .mutation(async ({ ctx, input }) => {
      const { id, key } = await issueNarrowerKey(ctx, input);
      return { ...(await getIssuedKey(ctx, encodeId("akey", id))), key };
    }),

  list: agentProcedure(SCOPE)
    .meta(
      rest("GET /v1/keys", "listKeys", {
        tags,
        summary: "List issued keys",
        description: "Lists the keys that this key issued, and the keys below them, newest first.",
        successDescription: "A page of keys.",
        errors: ["insufficient_scope", "invalid_cursor"],
      }),
    )
    .input(issuedPageInput)
    .output(issuedPageOutput)
    .query(({ ctx, input }) => listIssuedKeys(ctx, input)),

  get: agentProcedure(SCOPE)
    .meta(
      rest("GET /v1/keys/{id}", "getKey", {
        tags,
        summary: "Get an issued key",
        description: "Returns a key below this key, with what is left of its send budget.",
        successDescription: "The key, without its secret.",
        errors: ["insufficient_scope", "agent_key_not_found"],
      }),
    )
    .input(agentKeyIdInput)
    .output(issuedKey)
    .query(({ ctx, input }) => getIssuedKey(ctx, input.id)),

  revoke: agentProcedure(SCOPE)
    .meta(
      rest("DELETE /v1/keys/{id}", "deleteKey", {
        tags,
        summary: "Revoke an issued key",
        description:
          "Revokes a key below this key, with every key that it issued. Every process refuses it within a second.",
        successDescription: "The key is revoked.",
        errors: ["insufficient_scope", "agent_key_not_found"],
      }),
    )
    .input(agentKeyIdInput)
    .output(deleted("akey"))
    .mutation(async ({ ctx, input }) => ({ id: (await revokeAgentKey(ctx, input.id)).id, deleted: true as const })),
});
