// The words of the toast after a draft was saved, with the way to it.
"use client";
import { Anchor } from "@mantine/core";
import { NearLink } from "../../../design/near-link.tsx";

/** @param isPartly without recipients that the service refuses */
export function inOutbox(isPartly: boolean) {
  return (
    <>
      Draft saved in the{" "}
      <Anchor component={NearLink} href="/dashboard/outbox" inherit underline="always">
        Outbox
      </Anchor>
      {isPartly && " without the recipients that are not mail addresses"}
    </>
  );
}
