// The sign-in form, by email address and password.
"use client";
import { Alert, Anchor, Button, Group, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { type SubmitEvent, useState } from "react";
import { CODE_WORDS, CodeField, isAsked } from "../../design/code-field.tsx";
import { SessionProblem, useWait } from "../../design/session-problem.tsx";
import { IconAlertTriangle } from "../../design/shell-icons.tsx";
import { signIn } from "../../session.ts";
import { Card } from "../card.tsx";
import { CompanyButton } from "../company-button.tsx";

const HOME = "/dashboard";
/** Stands for this origin where the page is built; the service checks the path again. */
const HERE = "http://here.invalid";

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
  ...CODE_WORDS,
  INVALID_EMAIL: "This is not an email address. Write it as name@company.example.",
};

const UNSURE =
  "The company's sign-in service did not answer as it should. Try again. If it happens again, tell the operator.";

/** Texts by the code that the callback of company sign-in adds to the address of this page. */
const COMPANY_WORDS = new Map(
  Object.entries({
    required: "Your organization requires sign-in with your company account.",
    not_invited: "You are not invited yet. Ask an owner or admin to invite you, and open the link of the invitation.",
    not_verified: "Your company account has no verified email address. Ask the person who manages these accounts.",
    domain_not_allowed:
      "Your email address is not of a domain that may sign in here. Ask the operator of this service.",
    other_account:
      "Another company account signed in with this email address before. Ask the operator of this service.",
    other_invitation:
      "The invitation is for another email address. Ask for an invitation of the address of your company account.",
    unreachable: "The company's sign-in service did not answer. Try again in a minute.",
    canceled: "The company's sign-in service did not sign you in. Try again.",
    expired: "The sign-in took longer than ten minutes, or began in another browser. Try again.",
    busy: "Too many sign-ins are in progress. Try again in a minute.",
    rate_limited: "Too many attempts. Try again in five minutes.",
    link_not_found:
      "The invitation was used, withdrawn, or has expired. If you joined with it, sign in. Otherwise ask for a new one.",
    already_member: "You are already a member of this organization. Sign in.",
    hosted_address: "This service receives the mail of your address. Use an address of another mail provider.",
  }),
);

export function SignIn() {
  const params = useSearchParams();
  const company = params.get("company");
  const [email, setEmail] = useState(params.get("email") ?? "");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [needsCode, setNeedsCode] = useState(false);
  const entry = useMutation({
    mutationFn: () => signIn(email.trim(), password, code),
    onError: (error) => isAsked(error) && setNeedsCode(true),
    // A full page load that replaces this page in the history.
    onSuccess: () => location.replace(nextPage(params.get("next"), location.origin)),
  });
  const wait = useWait(entry.error);

  function startAgain() {
    entry.reset();
    setNeedsCode(false);
    setCode("");
    setPassword("");
  }

  function submit(event: SubmitEvent) {
    event.preventDefault();
    entry.mutate();
  }

  return (
    <Card below="Accounts are created by invitation. Ask an owner or admin of your organization to invite you. The first owner of a new service opens the link that its start prints.">
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
          {company !== null && !entry.error && (
            <Alert
              color={company === "required" ? "yellow" : "red"}
              role="alert"
              icon={<IconAlertTriangle aria-hidden />}
            >
              {COMPANY_WORDS.get(company) ?? UNSURE}
            </Alert>
          )}
          {entry.error && !isAsked(entry.error) && <SessionProblem error={entry.error} wait={wait} words={WORDS} />}
          {needsCode ? (
            <CodeField value={code} onChange={setCode} />
          ) : (
            <>
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
            </>
          )}
          <Button type="submit" size="md" fullWidth loading={entry.isPending || entry.isSuccess} disabled={wait > 0}>
            Sign in
          </Button>
          {needsCode ? (
            <Anchor component="button" type="button" size="sm" data-thumb onClick={startAgain}>
              Use another account
            </Anchor>
          ) : (
            <CompanyButton next={nextPage(params.get("next"), HERE)} />
          )}
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
