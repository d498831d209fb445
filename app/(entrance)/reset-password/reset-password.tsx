// Sets a new password with the token of a reset email, which works once, for an hour.
"use client";
import { Button, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { type SubmitEvent, useState } from "react";
import { isLongEnough, NewPassword } from "../../design/new-password.tsx";
import { SessionProblem, useWait } from "../../design/session-problem.tsx";
import { resetPassword } from "../../session.ts";
import { isSessionError } from "../../session-error.ts";
import { Card } from "../card.tsx";

const AFTERWARDS = "/sign-in?reset";

export function ResetPassword() {
  const params = useSearchParams();
  const token = params.get("token");
  const [password, setPassword] = useState("");
  const reset = useMutation({
    mutationFn: () => resetPassword(token ?? "", password),
    onSuccess: () => location.replace(AFTERWARDS),
  });
  const wait = useWait(reset.error);
  const isOver = isSessionError(reset.error) && reset.error.code === "INVALID_TOKEN";
  if (!token || params.has("error") || isOver) return <LinkIsOver />;

  function submit(event: SubmitEvent) {
    event.preventDefault();
    reset.mutate();
  }

  return (
    <Card>
      <form onSubmit={submit}>
        <Stack gap="md">
          <div>
            <Title order={1}>Set a new password</Title>
            <Text c="dimmed" size="sm" mt={4}>
              This signs you out on all devices and disconnects your apps. Sign in again with the new password.
            </Text>
          </div>
          {reset.error && <SessionProblem error={reset.error} wait={wait} words={{}} />}
          <NewPassword label="New password" value={password} onChange={setPassword} />
          <Button
            type="submit"
            size="md"
            fullWidth
            loading={reset.isPending || reset.isSuccess}
            disabled={!isLongEnough(password) || wait > 0}
          >
            Set password
          </Button>
        </Stack>
      </form>
    </Card>
  );
}

function LinkIsOver() {
  return (
    <Card>
      <Stack gap="sm" align="flex-start">
        <Title order={1}>This link has expired</Title>
        <Text>A reset link works once, for one hour. Request a new link and use the one in the latest email.</Text>
        <Button component={Link} href="/forgot-password" mt="xs">
          Request a new link
        </Button>
      </Stack>
    </Card>
  );
}
