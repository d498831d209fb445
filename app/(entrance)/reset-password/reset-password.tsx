// Sets a new password with the token of a reset email, which works once, for an hour.
"use client";
import { Anchor, Button, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { type SubmitEvent, useState } from "react";
import { isLongEnough, NewPassword } from "../../design/new-password.tsx";
import { SessionProblem, useWait } from "../../design/session-problem.tsx";
import { checkResetLink, resetPassword } from "../../session.ts";
import { isSessionError } from "../../session-error.ts";
import { Card } from "../card.tsx";

/** Of its check, of the new password, and for what is no token. */
const OVER = ["link_not_found", "INVALID_TOKEN", "invalid_request"];
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
  // A link that does not work says so before a password is thought of. Without an answer, the form is shown.
  const link = useQuery({
    queryKey: ["reset link", token],
    queryFn: () => checkResetLink(token ?? ""),
    enabled: Boolean(token),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isOver = [reset.error, link.error].some((error) => isSessionError(error) && OVER.includes(error.code));
  if (!token || params.has("error") || isOver) return <LinkIsOver />;
  if (link.isLoading) return <Waiting />;

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

function Waiting() {
  return (
    <Card>
      <Stack role="status" aria-label="Checking your link">
        <Skeleton height={26} width="70%" />
        <Skeleton height={36} />
        <Skeleton height={42} />
      </Stack>
    </Card>
  );
}

function LinkIsOver() {
  return (
    <Card>
      <Stack gap="sm" align="flex-start" role="alert">
        <Title order={1}>This link does not work</Title>
        <Text>It was used before, it is older than an hour, or a part of it is missing.</Text>
        <Text>
          If you have set a new password,{" "}
          <Anchor component={Link} href="/sign-in" inherit underline="always">
            sign in
          </Anchor>{" "}
          with it. Otherwise request a new link, and use the one in the latest email.
        </Text>
        <Button component={Link} href="/forgot-password" mt="xs">
          Request a new link
        </Button>
      </Stack>
    </Card>
  );
}
