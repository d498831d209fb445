// Explains why a message was not sent, and the possible next steps. The draft stays unchanged.
"use client";
import { Alert, Button, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { NearLink } from "../../../design/near-link.tsx";
import { IconAlertTriangle } from "../../../design/shell-icons.tsx";
import { describeFailure } from "../../parts/failure.ts";
import { Problem } from "../../parts/problem.tsx";

type Props = {
  error: unknown;
  /** Sends although the thread has newer messages. */
  onSendAnyway: () => void;
  /** Gives the draft a new key. */
  onSendAsNew: () => void;
};

export function SendProblem({ error, onSendAnyway, onSendAsNew }: Props) {
  const { code, message, issues } = describeFailure(error);
  if (code === "invalid_request" && Object.keys(issues).length > 0) {
    return <Told title="Not sent">Correct what is marked above, then send it again.</Told>;
  }
  if (code === "thread_moved_on") {
    return (
      <Told
        title="New mail came in this thread while you were writing"
        action={
          <Button size="xs" variant="default" onClick={onSendAnyway}>
            Send anyway
          </Button>
        }
      >
        Read it above, change your reply if you want to, then send it.
      </Told>
    );
  }
  if (code === "idempotency_conflict" || code === "draft_not_found") {
    return (
      <Told
        title="An earlier version of this draft was already sent"
        action={
          <Button size="xs" variant="default" onClick={onSendAsNew}>
            Send as a new message
          </Button>
        }
      >
        The answer did not reach this page, and you changed the draft afterwards. Check the thread before you send it
        again.
      </Told>
    );
  }
  if (code === "daily_send_cap_exceeded") {
    return (
      <Told title={message}>
        The draft is kept. The cap resets at midnight UTC and grows with the age of the inbox.
      </Told>
    );
  }
  if (code === "recipient_suppressed") {
    return (
      <Told
        title={message}
        action={
          <Button component={NearLink} href="/dashboard/suppressions" size="xs" variant="default">
            View suppressions
          </Button>
        }
      >
        Leave these addresses out, or lift their suppression if you know that they work again.
      </Told>
    );
  }
  if (code === "sending_paused") {
    return <Told title={message}>The draft is kept. Resume sending at the top of this page first.</Told>;
  }
  if (code === "reply_refused")
    return <Told title={message}>To contact these people anyway, compose a new message.</Told>;
  return <Problem error={error} what="Not sent. Your draft is kept" />;
}

function Told({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <Alert color="yellow" role="alert" icon={<IconAlertTriangle aria-hidden />} title={title}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{children}</Text>
        {action}
      </Stack>
    </Alert>
  );
}
