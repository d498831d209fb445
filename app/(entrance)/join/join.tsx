// Reads the token of the link from the address, and shows the invitation.
"use client";
import { Anchor, Button, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createTRPCClient, httpLink, TRPCClientError } from "@trpc/client";
import { useSyncExternalStore } from "react";
import type { AppRouter } from "#server/api/router.ts";
import { Card } from "../card.tsx";
import { JoinForm } from "./join-form.tsx";

const client = createTRPCClient<AppRouter>({ links: [httpLink({ url: "/trpc" })] });

/** Only of an organization that is the person's only one: the session begins in the first that they joined. */
async function nameOrganization(name: string): Promise<void> {
  try {
    const { organizations } = await client.team.me.query();
    if (organizations.length === 1) await client.organization.update.mutate({ name });
  } catch {
    // They have joined, and the settings show the name.
  }
}

/** The token is behind `#`, which browsers do not send to servers. */
function useToken(): string {
  return useSyncExternalStore(
    (listener) => {
      addEventListener("hashchange", listener);
      return () => removeEventListener("hashchange", listener);
    },
    () => location.hash.slice(1),
    () => "",
  );
}

/** Errors of `team.link`: not found, or not a token. */
function isOver(error: unknown): boolean {
  const code = error instanceof TRPCClientError ? error.data?.error?.code : undefined;
  return code === "link_not_found" || code === "invalid_request";
}

export function Join() {
  const token = useToken();
  const link = useQuery({
    queryKey: ["link", token],
    queryFn: ({ signal }) => client.team.link.mutate({ token }, { signal }),
    enabled: token !== "",
    retry: (failures, error) => failures < 2 && !isOver(error),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (token === "" || isOver(link.error)) return <LinkIsOver />;
  if (link.error) return <Unread retry={() => void link.refetch()} busy={link.isFetching} />;
  if (!link.data) return <Waiting />;
  const join = (input: Parameters<typeof client.team.join.mutate>[0]) => client.team.join.mutate(input);
  return <JoinForm key={token} token={token} link={link.data} join={join} nameOrganization={nameOrganization} />;
}

function Waiting() {
  return (
    <Card>
      <Stack role="status" aria-label="Reading your invitation">
        <Skeleton height={26} width="70%" />
        <Skeleton height={36} />
        <Skeleton height={36} />
        <Skeleton height={42} />
      </Stack>
    </Card>
  );
}

function Unread({ retry, busy }: { retry: () => void; busy: boolean }) {
  return (
    <Card>
      <Stack gap="sm" align="flex-start" role="alert">
        <Title order={1}>Your invitation could not be read</Title>
        <Text>The service did not answer. Check your connection, then try again.</Text>
        <Button onClick={retry} loading={busy} mt="xs">
          Try again
        </Button>
      </Stack>
    </Card>
  );
}

function LinkIsOver() {
  return (
    <Card>
      <Stack gap="sm">
        <Title order={1}>This link was used or has expired</Title>
        <Text>An invitation works once and expires after seven days. A newer invitation replaces an older one.</Text>
        <Text>
          Already a member?{" "}
          <Anchor href="/sign-in" inherit underline="always">
            Sign in
          </Anchor>
          . Otherwise ask the person who invited you for a new link, and check that you copied all of it, with the part
          after #.
        </Text>
      </Stack>
    </Card>
  );
}
