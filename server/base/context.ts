// What a verb is given: the services of the process, and who is acting. A verb's `Ctx<…>` type is its permission.
import type { Sql } from "postgres";
import type { Database } from "#db/client.ts";
import { SCOPES, type Scope } from "#db/scopes.ts";
import type { Feed } from "../events/feed.ts";
import type { SignIn } from "../organizations/sign-in.ts";
import type { Chain } from "../ports/chain.ts";
import type { Dns } from "../ports/dns.ts";
import type { Facilitator } from "../ports/facilitator.ts";
import type { Outbound } from "../ports/outbound.ts";
import type { Courier } from "../webhooks/delivery/courier.ts";
import type { OriginRates } from "../webhooks/targets/origin-rate.ts";
import type { OwnPorts } from "../webhooks/targets/own-ports.ts";
import type { Settings } from "./env.ts";
import type { Logger } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { SecretBox } from "./secrets.ts";
import type { Signals } from "./signals.ts";

export { SCOPES, type Scope };

/** A software agent, known by its agent key (api/auth.ts). */
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
};

/** What a member may do in an organization, each more than the one before. */
export const ROLES = ["member", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** A person of the team, known by a session (team/session.ts). */
export type Member = {
  kind: "member";
  organizationId: string;
  userId: string;
  name: string;
  email: string;
  role: Role;
  /** Every inbox of the organization. */
  inboxIds: null;
};

/** Who sees an organization's mail and webhooks: its agents and its members. */
export type Caller = Agent | Member;

/** What rates and slots are counted by: an agent's key, a member's account. */
export function callerId(actor: Caller): string {
  return actor.kind === "agent" ? actor.keyId : actor.userId;
}

/** Nobody in particular: a caller who has shown no key and no session. */
export type Anonymous = { kind: "anonymous" };

/** The service itself: workers, the SMTP listener, the operators' command. */
export type System = { kind: "system" };

export type Actor = Agent | Member | Anonymous | System;

export type Services = {
  settings: Settings;
  /** Plain SQL, for statements that drizzle cannot say well; the same pool as `db`. */
  sql: Sql;
  db: Database;
  log: Logger;
  now: () => Date;
  secrets: SecretBox;
  outbound: Outbound;
  /** The ways out of payments; undefined where PAYMENTS_ENABLED is not set. */
  payments: { facilitator: Facilitator; chain: Chain } | undefined;
  signals: Signals;
  courier: Courier;
  /** How often webhooks may go to one origin. */
  originRates: OriginRates;
  /** Where webhooks never go. */
  ownPorts: OwnPorts;
  feed: Feed;
  dns: Dns;
  metrics: Metrics;
  signIn: SignIn;
};

export type Ctx<A extends Actor = Actor> = Services & { actor: A };
