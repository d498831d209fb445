// The form: the organization, the quota and the scopes that the app gets.
"use client";
import { Alert, Anchor, Button, Checkbox, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { NearLink } from "../../design/near-link.tsx";
import { Problem } from "../parts/problem.tsx";
import { chooseOrganization } from "../session/chosen-organization.ts";
import { useMe } from "../session/member.tsx";
import settings from "../settings/settings.module.css";
import { type Outputs, useTRPC } from "../trpc.ts";
import { SCOPES } from "./scopes.ts";

type Client = Outputs["apps"]["client"];
type Scope = Client["scopes"][number];
type Key = Outputs["keys"]["list"]["data"][number];
type Props = { clientId: string; request: URLSearchParams; client: Client; keys: Key[] };

function hostOf(url: string | null): string {
  return url && URL.canParse(url) ? new URL(url).host || url : "an unknown address";
}

/** What the app asks for, as far as the member's role may give it. */
function askedScopes(request: URLSearchParams, { scopes }: Client): Scope[] {
  const asked = request.get("scope")?.split(" ");
  const order = Object.keys(SCOPES) as Scope[];
  return order.filter((scope) => scopes.includes(scope) && (asked === undefined || asked.includes(scope)));
}

export function ApproveForm({ clientId, request, client, keys }: Props) {
  const trpc = useTRPC();
  const { user, organization } = useMe();
  const asked = askedScopes(request, client);
  const [chosen, setChosen] = useState<string[]>(asked.filter((scope) => scope !== "mailbox:delete"));
  const [wanted, setWanted] = useState("");
  const keyId = (keys.find(({ id }) => id === wanted) ?? keys[0])?.id ?? "";
  const scopes = asked.filter((scope) => chosen.includes(scope));
  const onSuccess = ({ url }: { url: string }) => location.assign(url);
  const approve = useMutation(trpc.apps.approve.mutationOptions({ onSuccess }));
  const refuse = useMutation(trpc.apps.refuse.mutationOptions({ onSuccess }));
  const answer = { client_id: clientId, request: request.toString() };
  const error = approve.error ?? refuse.error;
  // A request takes one answer, and the page is left for that of the first.
  const isAnswered = [approve, refuse].some((each) => each.isPending || each.isSuccess);
  return (
    <section className={settings.panel} aria-label="What the app may do">
      <Stack className={settings.form}>
        <Text>
          {client.name} will act for {user.name} in {organization.name}, and return to{" "}
          <strong>{hostOf(request.get("redirect_uri"))}</strong>. It stays connected until someone disconnects it under
          Settings, Connected apps.
        </Text>
        <Organization />
        <Checkbox.Group label="It may" value={scopes} onChange={setChosen}>
          <Stack gap="sm" mt="xs">
            {asked.map((scope) => (
              <Checkbox key={scope} value={scope} {...SCOPES[scope]} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Quota keys={keys} keyId={keyId} onChange={setWanted} />
        {error && <Problem error={error} what="The app was not connected" />}
        <Group>
          <Button
            onClick={() => approve.mutate({ ...answer, enrollment_key_id: keyId, scopes })}
            loading={approve.isPending || approve.isSuccess}
            disabled={scopes.length === 0 || keyId === "" || isAnswered}
          >
            Connect
          </Button>
          <Button
            variant="default"
            onClick={() => refuse.mutate(answer)}
            loading={refuse.isPending || refuse.isSuccess}
            disabled={isAnswered}
          >
            Do not connect
          </Button>
        </Group>
      </Stack>
    </section>
  );
}

function Organization() {
  const { organization, organizations } = useMe();
  if (organizations.length < 2) return null;
  return (
    <NativeSelect
      label="Organization"
      description="The app sees nothing of the others."
      data={organizations.map(({ id, name }) => ({ value: id, label: name }))}
      value={organization.id}
      onChange={(event) => chooseOrganization(event.currentTarget.value)}
    />
  );
}

function Quota({ keys, keyId, onChange }: { keys: Key[]; keyId: string; onChange: (id: string) => void }) {
  if (keys.length === 0) {
    return (
      <Alert color="yellow" title="There is no active enrollment key">
        The app works with the quota and the domains of an enrollment key.{" "}
        <Anchor component={NearLink} href="/dashboard/keys">
          Issue one
        </Anchor>
        , then start the connection again in the app.
      </Alert>
    );
  }
  return (
    <NativeSelect
      label="Enrollment key"
      description="Inboxes that the app creates count against its quota. If you revoke it, the app stops."
      data={keys.map(({ id, name }) => ({ value: id, label: name || id }))}
      value={keyId}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
