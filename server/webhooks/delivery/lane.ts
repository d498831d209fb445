// What is known of each lane: the deliveries to one webhook, which waits and which is under way.
import type { Bucket } from "../../base/token-bucket.ts";
import type { OriginRates } from "../targets/origin-rate.ts";
import type { DueDelivery } from "./due-delivery.ts";
import type * as turns from "./turns.ts";
import type { WaitingLanes } from "./waiting-lanes.ts";
import type { Window } from "./window.ts";

export const ORIGINS = ["mail", "table"] as const;
/** Where a delivery came from. */
export type Origin = (typeof ORIGINS)[number];
export type Waiting = { delivery: DueDelivery; origin: Origin; since: number };

export type Lane = {
  webhookId: string;
  /** Of the newest delivery, and the bucket of its origin. `held`: it waits until that may get another request. */
  url: string;
  bucket: Bucket;
  held: boolean;
  organization: turns.Organization;
  waiting: Waiting[];
  /** Attempts under way, oldest first, and how many of them are slow. */
  running: Set<Attempt>;
  slow: number;
  window: Window;
  standing: turns.Standing;
  /** When the last of those sent back to the table comes due. */
  returnsAt: number;
  usedAt: number;
};

/** `suspected`: its lane was a suspect when it began. */
export type Attempt = {
  delivery: DueDelivery;
  lane: Lane;
  bucket: Bucket;
  startedAt: number;
  slow: boolean;
  suspected: boolean;
};
/** A delivery that goes back to the table, and when it should come due. */
export type Returned = { delivery: DueDelivery; afterMs: number };

export type Lanes = {
  byWebhook: Map<string, Lane>;
  turns: turns.Turns<Lane>;
  waiting: Record<Origin, number>;
  /** Of these, those in suspect lanes, and how many such lanes there are. */
  suspect: Record<Origin, number>;
  suspects: number;
  /** Attempts that are not slow yet, oldest first. */
  quick: Set<Attempt>;
  rates: OriginRates;
  held: WaitingLanes<Lane>;
};
