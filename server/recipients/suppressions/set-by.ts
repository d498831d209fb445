// Who added an entry of a list or a suppression: a member, an agent, or the service itself.
import { z } from "zod";
import type { Caller } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";

export type SetBy<By extends string = "member" | "agent"> = { set_by: By; set_by_key: string | null };

export function setByOf(actor: Caller): SetBy {
  return actor.kind === "agent" ? { set_by: "agent", set_by_key: actor.keyId } : { set_by: "member", set_by_key: null };
}

export function setByView<By extends string>({ set_by, set_by_key: key }: SetBy<By>) {
  return { set_by, set_by_key: key === null ? null : encodeId("akey", key) };
}

export const set_by_key = z.string().nullable().meta({
  description: "Id of the agent key that added it. Null: no agent did.",
  example: null,
});
