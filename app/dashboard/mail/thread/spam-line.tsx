// The verdict on spam with its reasons, for mail that has a bad one, and the button that corrects it.
"use client";
import { Badge, Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Problem } from "../../parts/problem.tsx";
import { succeeded } from "../../parts/toast.tsx";
import { useTRPC } from "../../trpc.ts";
import { goTo } from "../place.ts";
import type { Message } from "./message.ts";
import classes from "./thread.module.css";

/** New reasons are shown as their word. */
const REASONS: Record<string, string> = {
  dmarc_failed: "Its DMARC check failed.",
  spf_failed: "SPF forbids the sending server.",
  unauthenticated: "Its sender is not authenticated.",
  first_contact: "The inbox does not know the sender.",
  no_date: "It has no date.",
  no_message_id: "It has no Message-ID.",
  hidden_recipients: "It names no recipient.",
  several_senders: "It names more than one sender.",
  name_shows_other_sender: "The name of the sender shows another address.",
  name_claims_brand: "The name of the sender is that of a well-known company, and the address is not.",
  mixed_scripts: "A word mixes letters of two alphabets.",
  reply_to_elsewhere: "Answers go to a freemail address elsewhere.",
  misleading_link: "A link shows another address than it opens.",
  lookalike_link: "A link imitates another name.",
  ip_link: "A link leads to an IP address.",
  short_link: "A link is shortened.",
  bare_link: "It is little else than a link.",
  hidden_text: "It hides text.",
  hidden_instructions: "It has hidden instructions to an AI assistant.",
  shouting: "Its subject is in capitals.",
  scam_phrase: "It has a phrase of frauds or advertising.",
  scam_phrases: "It has several phrases of frauds or advertising.",
  dangerous_file: "An attachment can run a program.",
};

export function SpamLine({ message }: { message: Message }) {
  const { id, spam, quarantined } = message;
  const trpc = useTRPC();
  const queries = useQueryClient();
  const correct = useMutation(
    trpc.messages.notSpam.mutationOptions({
      onSuccess() {
        succeeded(quarantined ? "The mail was delivered" : "The verdict was changed");
        if (quarantined) goTo({ show: "all", thread: message.thread_id });
      },
      onSettled: () =>
        Promise.all(
          [trpc.threads, trpc.messages, trpc.inboxes.summaries].map((each) =>
            queries.invalidateQueries(each.pathFilter()),
          ),
        ),
    }),
  );
  if (!quarantined && (!spam || spam.verdict === "ham")) return null;
  const isSpam = quarantined || spam?.verdict === "spam";
  return (
    <div className={classes.verdict} data-tone={isSpam ? "bad" : "care"} role="note" aria-label="Verdict on spam">
      <div className={classes.checks}>
        <Badge size="sm" variant="light" color={isSpam ? "red" : "orange"}>
          {isSpam ? "Spam" : "Maybe spam"}
        </Badge>
        {quarantined && <span>In quarantine: it is left out of lists, waits and webhooks.</span>}
      </div>
      <ul className={classes.cautions} aria-label="Reasons">
        {(spam?.reasons ?? []).map((reason) => (
          <li key={reason}>{REASONS[reason] ?? reason}</li>
        ))}
      </ul>
      {correct.error && <Problem error={correct.error} what="The verdict was not changed" />}
      <div>
        <Button size="xs" variant="default" loading={correct.isPending} onClick={() => correct.mutate({ id })}>
          Not spam
        </Button>
      </div>
    </div>
  );
}
