// Looks up the mailboxes that calls name: calls that arrive during a look-up share the next one, so that they cost one query.
import type { Sql } from "postgres";
import type { Services } from "../context.ts";
import { type Asked, lookUp } from "../tenancy.ts";
import { groupCommit } from "./group-commit.ts";

const BATCH_LOOKUPS = 100;

/**
 * Organizations take turns in a batch, and so do the callers of each.
 * @param sql has one connection, which is used for nothing else
 */
export function createInboxLookups(services: Pick<Services, "settings">, sql: Sql): Pick<Services, "inboxLookups"> {
  return {
    inboxLookups: groupCommit(services, (asked: Asked[]) => lookUp(sql, asked), {
      items: BATCH_LOOKUPS,
      weight: BATCH_LOOKUPS,
      inFlight: 1,
      weigh: () => 1,
      owners: [({ caller }) => caller, ({ organizationId }) => organizationId],
    }),
  };
}
