// Records that a domain was verified or lost: an event, and a notice to the owners of the organization.
import { plainOf, type Transaction } from "#db/client.ts";
import type { Services } from "../base/context.ts";
import { encodeId, newId } from "../base/ids.ts";
import type { Recorded } from "../events/event-log.ts";
import { grantOfAnother } from "../grants/granted-domains.ts";
import { foreignLine } from "../system-mail/foreign.ts";
import { type LetterNeeds, noticesTo, writeNotices } from "../system-mail/write.ts";
import type { DomainRow } from "./find.ts";

const DOMAIN_MAX_CHARS = 253;
const LOST = "The ownership record was missing for 72 hours.";

/** The last statements of a transaction, because recording an event locks the positions of the organization. */
export async function recordChange(
  tx: Transaction,
  services: LetterNeeds & Pick<Services, "eventLog">,
  row: DomainRow,
): Promise<Recorded> {
  const { eventLog, settings, now } = services;
  const { status, organization_id } = row;
  const isLost = status === "lost";
  if (isLost) {
    const to = { organizationId: organization_id, chosen: "domain" as const };
    const isHeldAbove = (await grantOfAnother(tx, now(), row)) !== undefined;
    await writeNotices(tx, services, await noticesTo(tx, services, to, lostLetter(settings, row, isHeldAbove)));
  }
  const kind = isLost ? ("domain.lost" as const) : ("domain.verified" as const);
  const domain = { id: encodeId("dom", row.id), domain: row.domain, status, reason: isLost ? LOST : null };
  const body = JSON.stringify({ event: kind, inbox: null, domain });
  return eventLog.record(
    plainOf(tx),
    [{ id: newId(), organization_id, inbox_id: null, message_id: null, kind, body }],
    now(),
  );
}

/** @param isHeldAbove another organization holds a domain above it, so the record alone does not give it back */
function lostLetter({ PUBLIC_URL }: Services["settings"], { domain, records }: DomainRow, isHeldAbove: boolean) {
  const ownership = records.find(({ purpose }) => purpose === "ownership");
  const text = [
    `Your organization on ${PUBLIC_URL} no longer holds the domain ${foreignLine(domain, DOMAIN_MAX_CHARS)}.`,
    LOST,
    "Its mailboxes still receive mail. They send none, and no new mailboxes can be created. Another organization can now verify the domain. Then the mailboxes are deleted.",
    isHeldAbove
      ? "Another organization holds a domain above it. To get the domain back, ask the operator of the service."
      : `To get the domain back, add this TXT record:\n\n${ownership?.name}\n${ownership?.value}`,
  ];
  return { topic: "domain_lost" as const, text: `${text.join("\n\n")}\n` };
}
