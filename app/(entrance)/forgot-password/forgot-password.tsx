// Requests a password reset email. The answer is the same whether or not the account exists.
"use client";
import { Anchor, Button, Code, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import Link from "next/link";
import { type SubmitEvent, useState } from "react";
import { SessionProblem, useWait } from "../../design/session-problem.tsx";
import { useService } from "../../service-document.ts";
import { requestPasswordReset } from "../../session.ts";
import { Card } from "../card.tsx";
import classes from "../entrance.module.css";

const WORDS = { INVALID_EMAIL: "This is not an email address. Write it as name@company.example." };

export function ForgotPassword() {
  const [email, setEmail] = useState("");
  const request = useMutation({ mutationFn: () => requestPasswordReset(email.trim()) });
  const wait = useWait(request.error);
  const isLocal = useService().data?.outbound === "local";

  function submit(event: SubmitEvent) {
    event.preventDefault();
    request.mutate();
  }

  const back = (
    <Anchor component={Link} href="/sign-in" size="sm" data-thumb>
      Back to sign in
    </Anchor>
  );

  if (isLocal) {
    return (
      <Card below={back}>
        <Stack gap="sm">
          <Title order={1}>Forgot password?</Title>
          <Text>
            This service sends no mail (OUTBOUND=local). Ask its operator for a link to set a new password. The operator
            makes it with this command:
          </Text>
          <Code block className={classes.command}>
            npm run -s admin -- accounts reset-link your@address.example
          </Code>
        </Stack>
      </Card>
    );
  }
  if (request.isSuccess) {
    return (
      <Card below={back}>
        <Stack gap="sm" role="status">
          <Title order={1}>Check your mail</Title>
          <Text>
            If <strong>{email.trim()}</strong> has an account, an email with a link is on its way. The link works once,
            for an hour.
          </Text>
          <Text size="sm" c="dimmed">
            No email? Check the spam folder and the address, or ask the operator of this service for a link.
          </Text>
          <Button variant="default" onClick={() => request.reset()}>
            Try another address
          </Button>
        </Stack>
      </Card>
    );
  }
  return (
    <Card below={back}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <div>
            <Title order={1}>Forgot password?</Title>
            <Text c="dimmed" size="sm" mt={4}>
              You get an email with a link to set a new password.
            </Text>
          </div>
          {request.error && <SessionProblem error={request.error} wait={wait} words={WORDS} />}
          <TextInput
            label="E-mail"
            type="email"
            required
            autoComplete="username"
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Button type="submit" size="md" fullWidth loading={request.isPending} disabled={wait > 0}>
            Send me the link
          </Button>
        </Stack>
      </form>
    </Card>
  );
}
