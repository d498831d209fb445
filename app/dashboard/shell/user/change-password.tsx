// The dialog in which members change their password, which ends their other sessions.
"use client";
import { PasswordInput, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { isLongEnough, NewPassword } from "../../../design/new-password.tsx";
import { SessionProblem, useWait } from "../../../design/session-problem.tsx";
import { changePassword } from "../../../session.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { succeeded } from "../../parts/toast.tsx";
import { useMe } from "../../session/member.tsx";
import { useSessionEnd } from "../../session/session-end.ts";

const WORDS = { INVALID_PASSWORD: "The current password is incorrect. Type it again." };
const UNAUTHORIZED_STATUS = 401;

export default function ChangePassword({ onClose }: { onClose: () => void }) {
  const { user } = useMe();
  const change = useChange(onClose);
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const wait = useWait(change.error);

  return (
    <FormDialog
      title="Change password"
      hideFailure
      acting={change}
      action="Change password"
      disabled={!current || !isLongEnough(next) || wait > 0}
      onAct={() => change.mutate({ current, next })}
      onClose={onClose}
    >
      {change.error && <SessionProblem error={change.error} wait={wait} words={WORDS} />}
      <input type="email" autoComplete="username" value={user.email} readOnly hidden />
      <PasswordInput
        label="Current password"
        required
        autoComplete="current-password"
        value={current}
        onChange={(event) => setCurrent(event.currentTarget.value)}
        data-autofocus
      />
      <NewPassword label="New password" value={next} onChange={setNext} />
      <Text size="sm" c="dimmed">
        You stay signed in here. All other sessions are signed out, and your connected apps are disconnected.
      </Text>
    </FormDialog>
  );
}

/** If the session ended, the member signs in again here, and then the change is made. */
function useChange(onDone: () => void) {
  const sessionEnd = useSessionEnd();
  return useMutation({
    mutationFn: ({ current, next }: { current: string; next: string }) => {
      const attempt = () => changePassword(current, next);
      return attempt().catch((error: Error & { status?: number }) => {
        if (error.status !== UNAUTHORIZED_STATUS) throw error;
        return sessionEnd.ended().then(attempt);
      });
    },
    onSuccess() {
      onDone();
      succeeded("Password changed");
    },
  });
}
