// What the command line of `npm run bench` says to a workload.
import type { Checkout } from "./site.ts";

export type Options = {
  /** Of the siege. */
  seconds: number;
  /** Only cases or attacks whose names have it; "": all. */
  only: string;
  /** Undisturbed pairs of each comparison. */
  pairs: number;
  /** Measured beside this checkout, in the workloads that can. */
  against: Checkout | undefined;
};
