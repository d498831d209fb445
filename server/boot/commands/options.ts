// Reads the values of the options of operators' commands.
import type { Ctx, System } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A value that a command refuses. */
export function bad(message: string): ServiceError {
  return new ServiceError("invalid_request", message);
}

/** @throws ServiceError `invalid_request` */
export function wholeNumber(name: string, text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw bad(`${name}: a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

/** The parts between commas. */
export function list(text: string | undefined): string[] | undefined {
  return text
    ?.split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}

/**
 * @param text a number and m, h or d
 * @returns that long from now, as ISO 8601
 * @throws ServiceError `invalid_request`
 */
export function expiry(ctx: Ctx<System>, text: string | undefined): string | undefined {
  if (text === undefined) return;
  const [, count, unit] = /^([1-9][0-9]{0,5})([mhd])$/.exec(text) ?? [];
  if (!count) throw bad("expires-in: a number and m, h or d, such as 30d");
  return new Date(ctx.now().getTime() + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]).toISOString();
}
