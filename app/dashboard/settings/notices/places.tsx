// The places of the member's notices: the mail address of the account, and chats.
"use client";
import { Button, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { describeFailure } from "../../parts/failure.ts";
import { Problem } from "../../parts/problem.tsx";
import { failed, succeeded } from "../../parts/toast.tsx";
import { useMayAct, useMe } from "../../session/member.tsx";
import { useTRPC } from "../../trpc.ts";
import classes from "../settings.module.css";
import type { Topic } from "./topics.tsx";
import { ALL_TOPICS, type Route, Topics } from "./topics.tsx";

const URL_MAX_CHARS = 2_048;
/** Errors about the URL are shown at its field. */
const ABOUT_URL = "invalid_webhook_url";

export default function Places({ routes }: { routes: Route[] }) {
  const { user } = useMe();
  const { setTopics, remove } = useRoutes();
  const mayAdd = useMayAct("admin");
  const mail = routes.find(({ channel }) => channel === "mail");
  return (
    <>
      <section className={classes.panel}>
        <Title order={2} mb="sm">
          By mail
        </Title>
        <Topics label={`To ${user.email}`} value={mail?.topics ?? []} onChange={(topics) => setTopics(mail, topics)} />
      </section>
      <section className={classes.panel}>
        <Title order={2}>In a chat</Title>
        <Text size="sm" c="dimmed" mt={4} mb="md">
          Through an incoming webhook of Slack, Mattermost, Rocket.Chat or another chat that takes their format. All
          members of its channel can read the notices.
        </Text>
        <Stack gap="xl">
          {routes
            .filter(({ channel }) => channel === "chat")
            .map((route) => (
              <Stack key={route.id} gap="sm">
                <Topics
                  label={`To ${route.to}`}
                  value={route.topics}
                  onChange={(topics) => (topics.length > 0 ? setTopics(route, topics) : Promise.resolve())}
                />
                <Group>
                  <TestChat route={route} />
                  <Button
                    size="xs"
                    variant="subtle"
                    color="red"
                    aria-label={`Remove ${route.to}`}
                    onClick={() => remove(route)}
                  >
                    Remove
                  </Button>
                </Group>
              </Stack>
            ))}
          {mayAdd ? <AddChat /> : <Text size="sm">Only admins and owners add chats.</Text>}
        </Stack>
      </section>
    </>
  );
}

function TestChat({ route: { id, to } }: { route: Route }) {
  const trpc = useTRPC();
  const test = useMutation(
    trpc.notices.test.mutationOptions({
      onSuccess: ({ state, error }) =>
        state === "failed"
          ? failed(new Error(error ?? ""), `${to} did not take the notice`)
          : succeeded("The test notice is in the chat"),
      onError: (error) => failed(error, "The test notice was not sent"),
    }),
  );
  return (
    <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate({ id })}>
      Send a test notice
    </Button>
  );
}

function AddChat() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [url, setUrl] = useState("");
  const add = useMutation(
    trpc.notices.add.mutationOptions({
      onSuccess() {
        setUrl("");
        succeeded("The chat gets all notices");
      },
      onSettled: () => queries.invalidateQueries(trpc.notices.pathFilter()),
    }),
  );
  const failure = add.error && describeFailure(add.error);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    add.mutate({ topics: ALL_TOPICS, chat_url: url.trim() });
  }

  return (
    <form onSubmit={submit} className={classes.form}>
      <Stack gap="sm">
        {failure && failure.code !== ABOUT_URL && <Problem error={add.error} what="The chat was not added" />}
        <TextInput
          label="URL of the incoming webhook"
          placeholder="https://hooks.slack.com/services/…"
          type="url"
          required
          maxLength={URL_MAX_CHARS}
          autoComplete="off"
          spellCheck={false}
          value={url}
          onChange={(event) => {
            setUrl(event.currentTarget.value);
            add.reset();
          }}
          error={failure?.code === ABOUT_URL && `${failure.message} ${failure.fix}`}
        />
        <Group>
          <Button type="submit" loading={add.isPending}>
            Add a chat
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Reads and changes where the member gets notices. A place without a topic is removed. */
function useRoutes() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const settled = {
    onError: (error: unknown) => failed(error, "Your notices were not changed"),
    onSettled: () => queries.invalidateQueries(trpc.notices.pathFilter()),
  };
  const add = useMutation(trpc.notices.add.mutationOptions(settled));
  const change = useMutation(trpc.notices.change.mutationOptions(settled));
  const remove = useMutation(trpc.notices.remove.mutationOptions(settled));
  return {
    /** `route` undefined: by mail, which the member does not get yet. Settles when the page has read what is saved. */
    async setTopics(route: Route | undefined, topics: Topic[]): Promise<void> {
      if (!route) await add.mutateAsync({ topics });
      else if (topics.length === 0) await remove.mutateAsync({ id: route.id });
      else await change.mutateAsync({ id: route.id, topics });
    },
    remove: (route: Route) => remove.mutate({ id: route.id }, { onSuccess: () => succeeded("The chat is removed") }),
  };
}
