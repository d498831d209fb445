// The one-time code and the link that the service found in a message, as chips that copy them.
"use client";
import { useQuery } from "@tanstack/react-query";
import { IconCheck, IconCopy } from "../../../design/icons.tsx";
import { useCopy } from "../../../use-copy.ts";
import { useTRPC } from "../../trpc.ts";
import chip from "../chip.module.css";
import { CodeChip } from "../code-chip.tsx";
import type { Message } from "./message.ts";
import classes from "./thread.module.css";

export function Found({ message: { id, status } }: { message: Message }) {
  const trpc = useTRPC();
  const isReadable = status === "parsed";
  const { data } = useQuery(
    trpc.messages.previews.queryOptions({ ids: [id] }, { staleTime: Number.POSITIVE_INFINITY, enabled: isReadable }),
  );
  const [found] = data?.data ?? [];
  if (!found || (found.otp === null && found.link === null)) return null;
  return (
    <div className={classes.found}>
      {found.otp !== null && <CodeChip code={found.otp} />}
      {found.link !== null && URL.canParse(found.link) && (
        <LinkChip link={found.link} isOfSender={found.link_host_matches_sender === true} />
      )}
    </div>
  );
}

function LinkChip({ link, isOfSender }: { link: string; isOfSender: boolean }) {
  const { state, copy } = useCopy(link);
  const { host } = new URL(link);
  const Shape = state === "copied" ? IconCheck : IconCopy;
  return (
    <button type="button" className={chip.chip} onClick={copy} title={link}>
      <span className={classes.cut}>
        {state === "refused" ? link : `Copy the link to ${host}`}
        {!isOfSender && ", not the sender’s domain"}
      </span>
      <Shape size={15} aria-hidden />
      <span className="visually-hidden" aria-live="polite">
        {state === "copied" ? "Copied" : ""}
      </span>
    </button>
  );
}
