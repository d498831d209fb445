// Finds the held message of an email's link, and decides on it for the person who has the email.
import { eq } from "drizzle-orm";
import { reviews } from "#db/schema/reviews.ts";
import type { Services } from "../../base/context.ts";
import { getsNotices } from "../../system-mail/addresses.ts";
import { type Act, decideOn } from "./decide.ts";
import { findReview } from "./get.ts";
import { noLink, readReviewLink } from "./link.ts";

/**
 * Changes nothing.
 * @throws ServiceError `link_not_found`, also if the email's address gets no notices of the organization any more;
 * `message_not_found`
 */
export async function findByLink(services: Services, token: string) {
  const { messageId, hash, address } = readReviewLink(services, token);
  const [row] = await services.db
    .select({ organizationId: reviews.organization_id })
    .from(reviews)
    .where(eq(reviews.message_id, messageId));
  if (!row || !(await getsNotices(services.db, row.organizationId, address))) throw noLink();
  const { organizationId } = row;
  const review = await findReview(services, organizationId, messageId);
  return {
    review,
    isCurrent: review.hash.toString("hex") === hash,
    seen: { organizationId, messageId, hash },
    address,
  };
}

/** @throws ServiceError like `findByLink` and `decideOn` */
export async function decideByLink(services: Services, token: string, decision: Act["decision"]): Promise<void> {
  const { seen, address } = await findByLink(services, token);
  await decideOn(services, seen, { decision, by: `${address} (by the link in the mail)` });
}
