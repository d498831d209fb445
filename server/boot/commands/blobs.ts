// The operators' commands for stored content: `blobs sweep` and `blobs move`.
import type { Ctx, System } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { moveBlobs } from "../../messages/blobs/move.ts";
import { sweepBlobs } from "../../messages/blobs/sweep.ts";

const HOUR_MS = 3_600_000;
const GRACE = /^([1-9][0-9]{0,3})h$/;
const PLACES = { postgres: "rows", s3: "objects" } as const;

type Given = { option(name: string): string | undefined; report(line: string): void };

const bad = (message: string) => new ServiceError("invalid_request", message);

/** `none`: removes objects that were written a moment ago too, whose rows a running service may still write. */
function graceOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (text === "none") return 0;
  const [, hours] = GRACE.exec(text) ?? [];
  if (hours === undefined) throw bad("grace: hours such as 24h, or none");
  return Number(hours) * HOUR_MS;
}

function sweep(ctx: Ctx<System>, { option }: Given): Promise<object> {
  return sweepBlobs(ctx, graceOf(option("grace")));
}

async function move(ctx: Ctx<System>, { option, report }: Given): Promise<object> {
  const to = option("to") ?? "";
  if (to !== "postgres" && to !== "s3") throw bad("--to is needed: postgres or s3");
  return moveBlobs(ctx, PLACES[to], report);
}

export const BLOB_COMMANDS = { "blobs sweep": sweep, "blobs move": move };
