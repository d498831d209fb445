// Of the caps of a mailbox, its domain and its organization, the one that leaves the fewest recipients today.
import type { Outputs } from "../trpc.ts";

type Limit = Outputs["messages"]["sendLimit"];

/** `whose` is empty for the cap of the mailbox itself. */
export function tightestCap({ domain, organization, ...own }: Limit) {
  const caps = [
    { ...own, whose: "" },
    { ...domain, whose: `all mailboxes at ${domain.name}` },
    { ...organization, whose: "all mailboxes of the organization" },
  ];
  return caps.reduce((least, cap) => (cap.remaining < least.remaining ? cap : least));
}
