// The sign-in form, by email address and password.
"use client";
import { Anchor, Button, Group, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { type SubmitEvent, useState } from "react";
import { SessionProblem, useWait } from "../../design/session-problem.tsx";
import { signIn } from "../../session.ts";
import { Card } from "../card.tsx";

const HOME = "/dashboard";

const WORDS = {
  INVALID_EMAIL_OR_PASSWORD: (
    <>
      The email address or password is incorrect. Check both, or{" "}
      <Anchor component={Link} href="/forgot-password" inherit underline="always">
        set a new password
      </Anchor>
      .
    </>
  ),
  INVALID_EMAIL: "This is not an email address. Write it as name@company.example.",
};

export function SignIn() {
  const params = useSearchParams();
  const [email, setEmail] = useState(params.get("email") ?? "");
  const [password, setPassword] = useState("");
  const entry = useMutation({
    mutationFn: () => signIn(email.trim(), password),
    // A full page load that replaces this page in the history.
    onSuccess: () => location.replace(nextPage(params.get("next"), location.origin)),
  });
  const wait = useWait(entry.error);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    entry.mutate();
  }

  return (
    <Card below="Accounts are created by invitation. Ask an owner or admin of your organization to invite you.">
      <form onSubmit={submit}>
        <Stack gap="md">
          <div>
            <Title order={1}>Sign in</Title>
            <Text c="dimmed" size="sm" mt={4}>
              To the dashboard of your organization.
            </Text>
          </div>
          {params.has("reset") && !entry.error && (
            <Text role="status" size="sm" c="green">
              Your password was changed. Sign in with the new password.
            </Text>
          )}
          {entry.error && <SessionProblem error={entry.error} wait={wait} words={WORDS} />}
          <TextInput
            label="E-mail"
            type="email"
            required
            autoComplete="username"
            autoFocus={!email}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <div>
            <PasswordInput
              label="Password"
              required
              autoComplete="current-password"
              autoFocus={Boolean(email)}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            <Group justify="flex-end" mt={8}>
              <Anchor component={Link} href="/forgot-password" size="sm" data-thumb>
                Forgot password?
              </Anchor>
            </Group>
          </div>
          <Button type="submit" size="md" fullWidth loading={entry.isPending || entry.isSuccess} disabled={wait > 0}>
            Sign in
          </Button>
        </Stack>
      </form>
    </Card>
  );
}

/**
 * @param next the value of `?next=`, untrusted
 * @returns a path of this origin, starting with one slash
 */
function nextPage(next: string | null, origin: string): string {
  if (!next || !/^\/(?![/\\])/.test(next)) return HOME;
  // Uses the browser's own parser, which drops tabs and newlines, so that "/\\t/" could become two slashes.
  const url = URL.parse(next, origin);
  if (!url || url.origin !== origin) return HOME;
  const path = `${url.pathname}${url.search}${url.hash}`;
  return path.startsWith("//") ? HOME : path;
}
