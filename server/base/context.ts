// The context of every operation: the services of the process and the caller. The type `Ctx<…>` says who may call it.
import type { Sql } from "postgres";
import type { SettingChange } from "#db/activity-parts.ts";
import type { Database } from "#db/client.ts";
import { hasScope, SCOPES, type Scope } from "#db/scopes.ts";
import type { Settings } from "./env.ts";
import type { FactsOfRequest, Logger } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Blobs } from "./ports/blobs.ts";
import type { Chain } from "./ports/chain.ts";
import type { Dns } from "./ports/dns.ts";
import type { Facilitator } from "./ports/facilitator.ts";
import type { Outbound } from "./ports/outbound.ts";
import type { Tracing } from "./ports/tracing.ts";
import type { SecretBox } from "./secrets.ts";
import type { Signals } from "./signals.ts";

export { hasScope, SCOPES, type Scope };

/** A software agent, identified by its agent key (api/auth.ts). */
export type Agent = {
  kind: "agent";
  organizationId: string;
  enrollmentKeyId: string;
  agentId: string;
  keyId: string;
  scopes: readonly Scope[];
  allowedDomains: readonly string[];
  /** Inboxes the key is restricted to; null: every inbox of the organization. */
  inboxIds: readonly string[] | null;
  /** The agent whose mailboxes alone the key reaches, which is its own (`inbox_access: own`); null: those of the organization. */
  madeBy: string | null;
  /** The keys that issued its key, the oldest first. */
  ancestorIds: readonly string[];
  /** The keys whose send budgets its sends use: its own and those of the keys that issued it. */
  budgetKeyIds: readonly string[];
};

/** Roles of members; each includes the permissions of the one before. */
export const ROLES = ["member", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** A member of an organization, identified by a session (organizations/session.ts). */
export type Member = {
  kind: "member";
  organizationId: string;
  userId: string;
  name: string;
  email: string;
  role: Role;
  sessionId: string;
  /** Whether the session is of a company account. */
  isCompany: boolean;
  /**
   * Of the account. `missing`: it has none, one of its organizations requires one, and the session is not of a company account:
   * only the procedures that set it up take such a member.
   */
  secondFactor: "on" | "off" | "missing";
  /** Members see every inbox of the organization. */
  inboxIds: null;
  madeBy: null;
};

/** Callers who can see an organization's mail and webhooks: its agents and its members. */
export type Caller = Agent | Member;

/** The key for rate limits and slots: an agent key or a member's account. */
export function callerId(actor: Caller): string {
  return actor.kind === "agent" ? actor.keyId : actor.userId;
}

/** Who made what belongs to one caller: the agent, whichever key it uses, or the member's account. */
export function ownerId(actor: Caller): string {
  return actor.kind === "agent" ? actor.agentId : actor.userId;
}

/** A caller without a key or session. */
export type Anonymous = { kind: "anonymous" };

/** The service itself: workers, the SMTP listener, `npm run admin`. */
export type System = { kind: "system" };

export type Actor = Agent | Member | Anonymous | System;

/**
 * What a process has one of. A folder that makes a service of its own declares its field beside the function that makes it
 * (`declare module`), so that the base knows no folder above it; boot/assemble.ts makes all of them.
 */
export interface Services {
  settings: Settings;
  /** Plain SQL on the same pool as `db`, for statements that drizzle cannot express well. */
  sql: Sql;
  db: Database;
  /** Connections for short statements that stand before all others: finding a key, and storing mail. */
  doors: { sql: Sql; db: Database };
  /** Connections for readiness alone. */
  probes: Sql;
  log: Logger;
  now: () => Date;
  secrets: SecretBox;
  outbound: Outbound;
  /** Where raw mail and attachments are stored. */
  blobs: Blobs;
  /** The payment adapters; undefined unless PAYMENTS_ENABLED is set. */
  payments: { facilitator: Facilitator; chain: Chain } | undefined;
  signals: Signals;
  dns: Dns;
  metrics: Metrics;
  facts: FactsOfRequest;
  /** Undefined unless the settings name a collector. */
  tracing: Tracing | undefined;
}

/** A call with an Idempotency-Key. `id` is the same in every run, and may become the id of what the call makes. */
export type KeyedCall = { id: string; attempt: string; isRepeated: boolean };

/** A call with an agent key. `verb`: the name of its procedure. */
type KeyCall = { verb: string; requestId: string };

/** A change by a member, which is in the audit log. */
type MembersAct = {
  /** Adds settings to the entry of the log, in the transaction that changes them. */
  note(tx: Database, changes: SettingChange[]): Promise<void>;
};

/** `keyed`: the call carries an Idempotency-Key that its procedure takes. `call`: what it changes is recorded (server/activity). `act`: of a member's change. */
export type Ctx<A extends Actor = Actor> = Services & {
  actor: A;
  keyed?: KeyedCall | undefined;
  call?: KeyCall | undefined;
  act?: MembersAct | undefined;
};
