// Mails in 25 languages that address a machine which reads mail, and harmless mails like them, written by hand. Half of them is held back.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

export type SteeringMail = { name: string; isAttempt: boolean; text: string };

const isHeldBack = (name: string) => (createHash("sha256").update(`steering ${name}`).digest()[0] ?? 0) % 2 === 0;

/** A line `=== name|attempt` or `=== name|harmless` stands before each mail. */
export function steeringMails(half: "tuned" | "held back"): SteeringMail[] {
  const table = readFileSync(new URL("steering-mails.txt", import.meta.url), "utf8");
  return table
    .split(/^=== /m)
    .slice(1)
    .map((block): SteeringMail => {
      const end = block.indexOf("\n");
      const [name = "", kind] = block.slice(0, end).split("|");
      return { name, isAttempt: kind === "attempt", text: block.slice(end + 1).trimEnd() };
    })
    .filter(({ name }) => isHeldBack(name) === (half === "held back"));
}
