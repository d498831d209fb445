// The conditions of a list of messages on the texts and marks of a message, which no index meets.
import { type SQL, sql } from "drizzle-orm";
import { messages } from "#db/schema/mail.ts";
import { readAddress } from "../base/addresses.ts";
import type { Filters } from "./schema.ts";

/** A regular expression that finds the text in any case, independent of the database's locale. */
function anyCase(text: string): string {
  return [...text]
    .map((character) => {
      const forms = new Set([character, character.toLowerCase(), character.toUpperCase()]);
      const single = [...forms].filter((form) => [...form].length === 1);
      if (single.length > 1) return `[${single.join("")}]`;
      return /[!-/:-@[-`{-~]/.test(character) ? `\\${character}` : character;
    })
    .join("");
}

/** A whole address matches exactly, other text matches a part of an address or a name. */
function addressPatterns(text: string | undefined): { address: string | null; name: string | null } {
  if (text === undefined) return { address: null, name: null };
  const whole = readAddress(text)?.address;
  return whole ? { address: `^${anyCase(whole)}$`, name: null } : { address: anyCase(text), name: anyCase(text) };
}

/** Conditions without an index. Absent ones are null, so that a few statements cover all combinations. */
export function textConditions(input: Filters): SQL {
  const { direction = null, unread, subject } = input;
  const { from_address, from_name, to_addresses, cc_addresses, bcc_addresses } = messages;
  const from = addressPatterns(input.from);
  const to = addressPatterns(input.to).address;
  const part = subject === undefined ? null : anyCase(subject);
  return sql`(${direction}::text is null or ${messages.direction} = ${direction}::text)
    and (not ${unread === false}::boolean or ${messages.read})
    and (${from.address}::text is null or ${from_address} ~ ${from.address}::text or ${from_name} ~ ${from.name}::text)
    and (${to}::text is null
      or array_to_string(${to_addresses} || ${cc_addresses} || ${bcc_addresses}, ${"\n"}) ~ ${`(?n)${to}`}::text)
    and (${part}::text is null or ${messages.subject} ~ ${part}::text)`;
}
