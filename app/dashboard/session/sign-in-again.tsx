// The dialog to sign in again in place: typed text is kept, and failed calls are repeated.
"use client";
import { Anchor, Button, PasswordInput, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { CODE_WORDS, CodeField, isAsked } from "../../design/code-field.tsx";
import { SessionProblem, useWait } from "../../design/session-problem.tsx";
import { signIn } from "../../session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { signInAgain, useMe } from "./member.tsx";

const WORDS = { ...CODE_WORDS, INVALID_EMAIL_OR_PASSWORD: "The password is incorrect. Type it again." };

export default function SignInAgain({ onDone }: { onDone: () => void }) {
  return (
    <Dialog
      onClose={() => {}}
      title="Your session has ended"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      zIndex={1000}
    >
      <Form onDone={onDone} />
    </Dialog>
  );
}

function Form({ onDone }: { onDone: () => void }) {
  const { user } = useMe();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [needsCode, setNeedsCode] = useState(false);
  const entry = useMutation({
    mutationFn: () => signIn(user.email, password, code),
    onError: (error) => isAsked(error) && setNeedsCode(true),
    onSuccess: onDone,
  });
  const wait = useWait(entry.error);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    entry.mutate();
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>
          Sign in again as <strong>{user.email}</strong>. Nothing on this page is lost.
        </Text>
        {entry.error && !isAsked(entry.error) && <SessionProblem error={entry.error} wait={wait} words={WORDS} />}
        <input type="email" autoComplete="username" value={user.email} readOnly hidden />
        <PasswordInput
          label="Password"
          required
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          data-autofocus
        />
        {needsCode && <CodeField value={code} onChange={setCode} />}
        <Button type="submit" loading={entry.isPending} disabled={!password || wait > 0}>
          Sign in
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={() => signInAgain()}>
          Sign in with a company or another account (leaves this page)
        </Anchor>
      </Stack>
    </form>
  );
}
