// Which reports of mail that a recipient complained about are complaints.

/** The opposite of a complaint; and reports that no person made: `auth-failure` (RFC 6591), and `dkim-failure` of its drafts. */
const NOT_COMPLAINT = /^not-spam$|-failure$/;

/**
 * The reason of a complaint.
 * @param feedbackType as the report writes it, in lower case; empty if it names none
 * @returns undefined for a report that is no complaint
 */
export function complaintReason(feedbackType: string | null | undefined): string | undefined {
  const reason = feedbackType || "abuse";
  return NOT_COMPLAINT.test(reason) ? undefined : reason;
}
