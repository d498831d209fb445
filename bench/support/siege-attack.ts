// Runs all attacks of a siege in a separate process with the lowest priority, because an attacker's CPU is elsewhere.
import { constants, setPriority } from "node:os";
import { nowMs } from "./clock.ts";
import { attackUntil, httpAttacks, type Target } from "./siege-http.ts";
import { smtpAttacks } from "./siege-smtp.ts";

/** `only`: the name of one attack, or how it starts; empty for all. */
export type AttackOrder = Target & { seconds: number; only: string };
/** How often each attack ended in which way. */
export type AttackAnswer = { outcomes: Record<string, Record<string, number>>; failed?: string };

setPriority(constants.priority.PRIORITY_LOW);

process.on("message", async ({ seconds, only, ...target }: AttackOrder) => {
  try {
    const end = nowMs() + seconds * 1_000;
    const isOver = () => nowMs() >= end;
    const attacks = [...httpAttacks(target), ...smtpAttacks(target, seconds, isOver)].filter(({ name }) =>
      name.startsWith(only),
    );
    process.send?.({ outcomes: await attackUntil(attacks, isOver) } satisfies AttackAnswer);
  } catch (error) {
    process.send?.({ outcomes: {}, failed: error instanceof Error ? error.message : `${error}` });
  }
});
