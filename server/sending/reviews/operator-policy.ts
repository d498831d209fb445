// The operator's options for reviews: which messages wait, and how long.
import type { Ctx, System } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { type Review, setDefault } from "./policy.ts";
import { TTL_MAX_SECONDS, TTL_MIN_SECONDS } from "./schema.ts";

const REVIEWS: readonly Review[] = ["none", "first_contact", "all"];
const UNIT_SECONDS: Record<string, number> = { m: 60, h: 3_600, d: 86_400 };

type Options = { review: string | undefined; ttl: string | undefined };
type Change = { review: Review | undefined; ttl_seconds: number | undefined };

/**
 * @returns undefined if no option is given
 * @throws ServiceError `invalid_request`
 */
export function readPolicyOptions({ review: text, ttl }: Options): Change | undefined {
  if (text === undefined && ttl === undefined) return;
  const review = REVIEWS.find((each) => each === text);
  if (text !== undefined && !review) throw new ServiceError("invalid_request", `review: ${REVIEWS.join(", ")}`);
  return { review, ttl_seconds: ttl === undefined ? undefined : readTtl(ttl) };
}

function readTtl(text: string): number {
  const [, count = "", unit = ""] = /^([1-9][0-9]{0,5})([mhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (UNIT_SECONDS[unit] ?? 0);
  if (seconds >= TTL_MIN_SECONDS && seconds <= TTL_MAX_SECONDS) return seconds;
  throw new ServiceError("invalid_request", "review-ttl: a number and m, h or d, from 1m to 30d");
}

export async function setDefaultByOperator(ctx: Ctx<System>, organizationId: string, change: Change) {
  const { organization, ttl_seconds } = await setDefault(ctx.db, organizationId, change);
  return { review: organization, review_ttl_seconds: ttl_seconds };
}
