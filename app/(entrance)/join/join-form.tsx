// The form of an invitation: name and new password, or only the password of an existing account. The first owner also names
// the organization.
"use client";
import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { TRPCClientError } from "@trpc/client";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { type SubmitEvent, useState } from "react";
import type { AppRouter } from "#server/api/router.ts";
import { CodeField } from "../../design/code-field.tsx";
import { isLongEnough, NewPassword } from "../../design/new-password.tsx";
import { IconAlertTriangle } from "../../design/shell-icons.tsx";
import { Card } from "../card.tsx";
import { CompanyButton } from "../company-button.tsx";

type Link = inferRouterOutputs<AppRouter>["team"]["link"];
type JoinInput = inferRouterInputs<AppRouter>["team"]["join"];
type Props = {
  token: string;
  link: Link;
  join: (input: JoinInput) => Promise<{ email: string }>;
  nameOrganization: (name: string) => Promise<void>;
};

/** As the first start names an organization. */
const UNNAMED = "Default";
const DASHBOARD = "/dashboard";
const UNREACHED = "The service did not answer. Check your connection, then try again.";
const until = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
const NAME_MAX_CHARS = 100;
/** The password of the existing account is right, and it has a second factor. */
const ASKED = "second_factor_required";
/** What to do, for errors that do not say it. */
const FIXES: Record<string, string> = {
  unauthorized: "Type the password that you sign in with.",
  rate_limited: "Wait a minute, then try again.",
  company_sign_in_required: "Use the other button.",
  wrong_code: "Wait for the next code, or use a recovery code.",
  link_not_found: "Ask for a new link.",
  hosted_address: "Use an address of another mail provider.",
  internal_error: "Try again.",
  unavailable: "Wait a few seconds, then try again.",
};

type ServiceProblem = { code: string; message: string; issues?: { path: string; message: string }[] };

function problemOf(error: unknown): ServiceProblem | undefined {
  return error instanceof TRPCClientError ? (error.data?.error as ServiceProblem | undefined) : undefined;
}

export function JoinForm({ token, link, join, nameOrganization }: Props) {
  const isFirst = link.kind === "owner" && link.organization === UNNAMED;
  const [organization, setOrganization] = useState("");
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [needsCode, setNeedsCode] = useState(false);
  const entry = useMutation({
    async mutationFn() {
      await join({
        token,
        password,
        ...(needsCode && { code }),
        ...(!link.has_account && { name }),
        ...(link.email === null && { email: email.trim() }),
      });
      if (isFirst && organization.trim()) await nameOrganization(organization.trim());
    },
    onError: (error) => problemOf(error)?.code === ASKED && setNeedsCode(true),
    // The answer set the session cookie.
    onSuccess() {
      sessionStorage.clear();
      location.replace(DASHBOARD);
    },
  });
  const issues = Object.fromEntries(problemOf(entry.error)?.issues?.map(({ path, message }) => [path, message]) ?? []);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    entry.mutate();
  }

  return (
    <Card below={`This link works once. It expires on ${until.format(new Date(link.expires_at))}.`}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {isFirst ? <FirstOwner /> : <Invitation link={link} />}
          {entry.error && problemOf(entry.error)?.code !== ASKED && <Refusal problem={problemOf(entry.error)} />}
          {link.email === null && (
            <TextInput
              label="E-mail"
              description="Use this to sign in. Already have an account? Enter its password."
              type="email"
              required
              autoComplete="username"
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
              error={issues.email}
            />
          )}
          {link.email !== null && (
            <TextInput label="E-mail" type="email" autoComplete="username" value={link.email} readOnly />
          )}
          {!link.has_account && (
            <TextInput
              label="Your name"
              required
              maxLength={NAME_MAX_CHARS}
              autoComplete="name"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={issues.name}
            />
          )}
          {link.has_account ? (
            <PasswordInput
              label="Your password"
              description="You already have an account here."
              required
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              error={issues.password}
            />
          ) : (
            <NewPassword label="Password" value={password} onChange={setPassword} error={issues.password} />
          )}
          {needsCode && <CodeField value={code} onChange={setCode} />}
          {isFirst && (
            <TextInput
              label="Organization's name"
              description="Your team and the people that you invite see it. You can change it later."
              placeholder="Acme"
              maxLength={NAME_MAX_CHARS}
              autoComplete="organization"
              value={organization}
              onChange={(event) => setOrganization(event.currentTarget.value)}
            />
          )}
          <Button
            type="submit"
            size="md"
            fullWidth
            loading={entry.isPending || entry.isSuccess}
            disabled={!isLongEnough(password)}
          >
            Join {isFirst ? "as owner" : link.organization}
          </Button>
          <CompanyButton token={token} />
          {link.has_account && (
            <Anchor href="/forgot-password" size="sm" ta="center" data-thumb>
              Forgot password?
            </Anchor>
          )}
        </Stack>
      </form>
    </Card>
  );
}

function FirstOwner() {
  return (
    <div>
      <Title order={1}>Create the owner account</Title>
      <Text c="dimmed" size="sm" mt={4}>
        An owner sees everything, and invites other people.
      </Text>
    </div>
  );
}

function Invitation({ link }: { link: Link }) {
  const article = link.role === "member" ? "a" : "an";
  return (
    <div>
      <Title order={1}>Join {link.organization}</Title>
      <Text c="dimmed" size="sm" mt={4}>
        {link.kind === "owner"
          ? "You will be an owner: you can see everything and invite other people."
          : `You were invited as ${article} ${link.role}.`}
      </Text>
    </div>
  );
}

function Refusal({ problem }: { problem: ServiceProblem | undefined }) {
  return (
    <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />}>
      {problem ? `${problem.message} ${FIXES[problem.code] ?? ""}` : UNREACHED}
    </Alert>
  );
}
