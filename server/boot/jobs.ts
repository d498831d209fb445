// The jobs of a worker, in groups.
import { pruneActivity } from "../activity/record.ts";
import type { Ctx, System } from "../base/context.ts";
import { pruneIdempotencyKeys } from "../base/idempotency.ts";
import { inTurn, type Job } from "../base/worker-loop.ts";
import { createSweep } from "../blobs/sweep.ts";
import { pruneCalls } from "../calls/record.ts";
import { checkNextDefaultKey } from "../domains/default/check.ts";
import { advanceDomains } from "../domains/next-check.ts";
import { advanceRemovals, removeAtProvider } from "../domains/provider/remove.ts";
import { recheckDomains } from "../domains/recheck.ts";
import { pruneEvents } from "../events/record.ts";
import { advanceIdentities, settleIdentities } from "../inboxes/identities.ts";
import { reservedInboxes } from "../inboxes/reserved.ts";
import { pruneAccessTokens, pruneClients, pruneRefreshTokens } from "../keys/apps/registrations.ts";
import { pruneKeys } from "../keys/prune.ts";
import { eraseDeleted } from "../messages/erase.ts";
import { pruneTrash } from "../messages/move-to-trash.ts";
import { pruneMessages } from "../messages/retention/prune.ts";
import { expireLeases } from "../messages/verifications/expire.ts";
import { pruneAudit } from "../organizations/audit.ts";
import { pruneSessions } from "../organizations/session.ts";
import { pruneAttempts } from "../organizations/sign-in-attempts.ts";
import { advancePayments, recoverPayments } from "../payments/recover.ts";
import { parseBodies } from "../receiving/parse.ts";
import { advanceReceived } from "../receiving/parse-lease.ts";
import { pruneProviderEvents } from "../receiving/provider/event-ids.ts";
import { settleQuarantine } from "../receiving/quarantine.ts";
import { pruneRecipients } from "../receiving/returns/return-path.ts";
import { pruneDraftVersions } from "../sending/drafts/versions.ts";
import { reportUnanswered } from "../sending/expected-replies.ts";
import { releaseDue } from "../sending/release.ts";
import { returnPaused } from "../sending/return-paused.ts";
import { expireReviews } from "../sending/reviews/expire.ts";
import { holdRevoked } from "../sending/reviews/hold-revoked.ts";
import { transmitQueued } from "../sending/transmit.ts";
import { advanceQueued } from "../sending/transmit-outcome.ts";
import { prunePasses } from "../system-mail/gate.ts";
import { advanceNotices, pruneNotices, sendNotices } from "../system-mail/send.ts";
import { expireUploads } from "../uploads/expire.ts";
import { createAttemptPartitions } from "../webhooks/delivery/attempts.ts";
import { pruneDeliveries, pruneDeliveryAttempts } from "../webhooks/delivery/prune.ts";
import { advanceResends, advanceRetries } from "../webhooks/delivery/schedule.ts";
import { endReceivers } from "../webhooks/receivers/end.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const RETENTION_EVERY_MS = 10 * MINUTE_MS;

/** Leased deliveries have a loop of their own (webhooks/delivery/deliver.ts). */
export function jobsOf(system: Ctx<System>): Job[] {
  const receive: Job[] = [
    { name: "bodies", topic: "bodies", everyMs: SECOND_MS, run: () => parseBodies(system) },
    { name: "quarantine", topic: "quarantine", everyMs: SECOND_MS, run: () => settleQuarantine(system) },
    { name: "erase", topic: "erasures", everyMs: 30 * SECOND_MS, run: () => eraseDeleted(system) },
    { name: "sweep-blobs", everyMs: MINUTE_MS, run: createSweep(system) },
  ];
  const send: Job[] = [
    { name: "transmit", topic: "outbound", everyMs: SECOND_MS, run: (stopping) => transmitQueued(system, stopping) },
    { name: "paused", topic: "outbound", everyMs: SECOND_MS, run: inTurn(system, [returnPaused, holdRevoked]) },
    { name: "release", everyMs: SECOND_MS, run: () => releaseDue(system) },
    { name: "notices", topic: "outbound", everyMs: 5 * SECOND_MS, run: (stopping) => sendNotices(system, stopping) },
    {
      name: "chats",
      topic: "outbound",
      everyMs: 5 * SECOND_MS,
      run: (stopping) => sendNotices(system, stopping, "chat"),
    },
    { name: "payments", everyMs: 2 * SECOND_MS, run: () => recoverPayments(system, reservedInboxes) },
  ];
  const deliver: Job[] = [{ name: "attempt-partitions", everyMs: MINUTE_MS, run: createAttemptPartitions(system) }];
  const domains: Job[] = [
    { name: "domains", everyMs: 5 * SECOND_MS, run: () => recheckDomains(system) },
    { name: "default-dkim", everyMs: MINUTE_MS, run: () => checkNextDefaultKey(system) },
    { name: "identities", topic: "identities", everyMs: 5 * SECOND_MS, run: () => settleIdentities(system) },
    { name: "provider-removals", topic: "identities", everyMs: 5 * SECOND_MS, run: () => removeAtProvider(system) },
  ];
  const expire: Job[] = [
    {
      name: "expire",
      everyMs: 5 * SECOND_MS,
      run: inTurn(system, [expireLeases, endReceivers, expireReviews, expireUploads, reportUnanswered]),
    },
    { name: "retention", everyMs: RETENTION_EVERY_MS, run: inTurn(system, RETENTION) },
    {
      name: "prune-messages",
      everyMs: RETENTION_EVERY_MS,
      run: inTurn(system, [pruneMessages, pruneTrash, pruneDraftVersions]),
    },
    { name: "catch-up", everyMs: MINUTE_MS, run: inTurn(system, CATCH_UP) },
  ];
  return [...receive, ...send, ...deliver, ...domains, ...expire];
}

const RETENTION = [
  pruneEvents,
  pruneDeliveries,
  pruneDeliveryAttempts,
  pruneProviderEvents,
  pruneRecipients,
  pruneNotices,
  prunePasses,
  pruneAudit,
  pruneActivity,
  pruneKeys,
  pruneCalls,
  pruneSessions,
  pruneAttempts,
  pruneClients,
  pruneAccessTokens,
  pruneRefreshTokens,
  pruneIdempotencyKeys,
];

/** Rows that a wrong clock scheduled far in the future. */
const CATCH_UP = [
  advanceReceived,
  advanceQueued,
  advanceRetries,
  advanceResends,
  advanceNotices,
  advanceIdentities,
  advanceDomains,
  advanceRemovals,
  advancePayments,
];
