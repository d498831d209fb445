// An authenticator app for tests (RFC 6238), and a person who turns their second factor on.
import { createHmac } from "node:crypto";
import { PASSWORD, type Person } from "./team.ts";

const STEP_MS = 30_000;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * The code that an app shows.
 * @param secret in base32
 * @param steps how many steps of 30 seconds later
 */
export function appCode(secret: string, at: Date, steps = 0): string {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeUInt32BE(Math.floor(at.getTime() / STEP_MS) + steps, 4);
  const mac = createHmac("sha1", key).update(counter).digest();
  const number = mac.readUInt32BE((mac[19] ?? 0) % 16) % 2 ** 31;
  return `${number}`.slice(-6).padStart(6, "0");
}

/** Turns it on. The code of the current step is used up. */
export async function turnOn({ trpc }: Pick<Person, "trpc">, now: () => Date) {
  const { secret, setup, uri } = await trpc.team.beginSecondFactor.mutate({ password: PASSWORD });
  const code = appCode(secret, now());
  const { recovery_codes: recoveryCodes } = await trpc.team.confirmSecondFactor.mutate({ setup, code });
  return { secret, uri, setup, recoveryCodes };
}
