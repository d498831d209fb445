// Explains why a message was not sent, and the possible next steps. The draft stays unchanged.
"use client";
import { Alert, Button, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { NearLink } from "../../../design/near-link.tsx";
import { IconAlertTriangle } from "../../../design/shell-icons.tsx";
import { describeFailure } from "../../parts/failure.ts";
import { Problem } from "../../parts/problem.tsx";
import { refusalWords } from "./refusal-words.ts";

type Props = {
  error: unknown;
  /** Sends although the thread has newer messages. */
  onSendAnyway: () => void;
  /** Gives the draft a new key. */
  onSendAsNew: () => void;
};

export function SendProblem({ error, onSendAnyway, onSendAsNew }: Props) {
  const { code, message, fix, issues } = describeFailure(error);
  if (code === "invalid_request" && Object.keys(issues).length > 0) {
    return <Explained title="Not sent">Correct what is marked above, then send it again.</Explained>;
  }
  if (code === "thread_moved_on") {
    return (
      <Explained
        title="New mail came in this thread while you were writing"
        action={
          <Button size="xs" variant="default" onClick={onSendAnyway}>
            Send anyway
          </Button>
        }
      >
        Read it above, change your reply if you want to, then send it.
      </Explained>
    );
  }
  const isGone = code === "draft_not_found";
  if (code === "idempotency_conflict" || isGone) {
    return (
      <Explained
        title={isGone ? "This draft was sent, scheduled or deleted" : "An earlier version was already sent"}
        action={
          <Button size="xs" variant="default" onClick={onSendAsNew}>
            Send as a new message
          </Button>
        }
      >
        {isGone
          ? "It is no longer among the drafts. What you wrote is kept here."
          : "What you changed afterwards is kept here."}{" "}
        Check the conversation and the Outbox before you send it again.
      </Explained>
    );
  }
  // Of these, the request id helps the operator.
  if (code === undefined || code === "internal_error" || code === "unavailable")
    return <Problem error={error} what="Not sent. Your draft is kept" />;
  const { what, fix: next } = refusalWords({ code, message, fix });
  const suppressions = code === "recipient_suppressed" && (
    <Button component={NearLink} href="/dashboard/suppressions" size="xs" variant="default">
      View suppressions
    </Button>
  );
  return (
    <Explained title={what} action={suppressions}>
      {code === "storage_quota_exceeded" ? "Your text is kept in this tab only." : "Your draft is kept."} {next}
    </Explained>
  );
}

function Explained({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <Alert color="yellow" role="alert" icon={<IconAlertTriangle aria-hidden />} title={title}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{children}</Text>
        {action}
      </Stack>
    </Alert>
  );
}
