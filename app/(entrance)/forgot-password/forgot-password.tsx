// Asks for the letter. Whether there is such an account is not told: that is the account's own business.
"use client";
import { Anchor, Button, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import Link from "next/link";
import { type SubmitEvent, useState } from "react";
import { SessionProblem, useWait } from "../../design/session-problem.tsx";
import { requestPasswordReset } from "../../session.ts";
import { Card } from "../card.tsx";

const WORDS = { INVALID_EMAIL: "This is not a mail address. Write it as name@company.example." };

export function ForgotPassword() {
  const [email, setEmail] = useState("");
  const request = useMutation({ mutationFn: () => requestPasswordReset(email.trim()) });
  const wait = useWait(request.error);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    request.mutate();
  }

  const back = (
    <Anchor component={Link} href="/sign-in" size="sm">
      Back to sign in
    </Anchor>
  );

  if (request.isSuccess) {
    return (
      <Card below={back}>
        <Stack gap="sm" role="status">
          <Title order={1}>Look into your mail</Title>
          <Text>
            If there is an account of <strong>{email.trim()}</strong>, a letter with a link is on its way. The link is
            good for an hour, and once.
          </Text>
          <Text size="sm" c="dimmed">
            Nothing came? Look among spam, check the address, or ask the operator of this service: where it sends no
            mail out, they have the letter.
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
              You get a letter with a link, by which you set a new one.
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
