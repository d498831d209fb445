// The dialog of one draft: change, save, send or delete it.
"use client";
import { Button, Group, Modal, Skeleton, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useRef, useState } from "react";
import { IconSend } from "../../design/icons.tsx";
import { recipientsOf } from "../mail/composer/draft.ts";
import { Problem } from "../parts/problem.tsx";
import { succeeded } from "../parts/toast.tsx";
import { type Outputs, useTRPC, useTRPCClient } from "../trpc.ts";

type Draft = Outputs["drafts"]["get"];
type Props = { id: string; onClose: () => void };

export function EditDraft({ id, onClose }: Props) {
  const trpc = useTRPC();
  // A change by another person is refused by its revision, and must not replace what is typed here.
  const draft = useQuery(trpc.drafts.get.queryOptions({ id }, { refetchOnWindowFocus: false, gcTime: 0 }));
  return (
    <Modal opened onClose={onClose} title="Draft" size="lg">
      {draft.isPending && <Skeleton height={320} />}
      {draft.error && <Problem error={draft.error} what="The draft could not be loaded" />}
      {draft.data && <Form draft={draft.data} onClose={onClose} />}
    </Modal>
  );
}

type Fields = { to: string; cc: string; subject: string; text: string };

function Form({ draft, onClose }: { draft: Draft; onClose: () => void }) {
  const [fields, setFields] = useState<Fields>({
    to: draft.to.join(", "),
    cc: draft.cc.join(", "),
    subject: draft.subject ?? "",
    text: draft.text ?? "",
  });
  const change = (part: Partial<Fields>) => setFields((before) => ({ ...before, ...part }));
  const { save, send, remove } = useActs(draft, onClose);
  const isBusy = save.isPending || send.isPending || remove.isPending;
  const error = save.error ?? send.error ?? remove.error;
  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (!isBusy) send.mutate(fields);
  }
  return (
    <form onSubmit={submit} aria-label="Draft">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          From {draft.inbox}
        </Text>
        <TextInput
          label="To"
          placeholder={draft.in_reply_to ? "The sender of the message it answers" : "someone@example.com"}
          value={fields.to}
          onChange={(event) => change({ to: event.currentTarget.value })}
          data-autofocus
        />
        <TextInput label="Cc" value={fields.cc} onChange={(event) => change({ cc: event.currentTarget.value })} />
        <TextInput
          label="Subject"
          value={fields.subject}
          onChange={(event) => change({ subject: event.currentTarget.value })}
        />
        <Textarea
          label="Message"
          rows={8}
          value={fields.text}
          onChange={(event) => change({ text: event.currentTarget.value })}
        />
        {draft.attachments.length > 0 && (
          <Text size="sm">Attached: {draft.attachments.map(({ filename }) => filename ?? "a file").join(", ")}</Text>
        )}
        {error && <Problem error={error} what="That did not work" />}
        <Group justify="space-between">
          <Group gap="xs">
            <Button
              type="submit"
              leftSection={<IconSend size={16} aria-hidden />}
              loading={send.isPending}
              disabled={isBusy}
            >
              Send
            </Button>
            <Button variant="default" onClick={() => save.mutate(fields)} loading={save.isPending} disabled={isBusy}>
              Save
            </Button>
          </Group>
          <Button
            variant="subtle"
            color="red"
            onClick={() => remove.mutate()}
            loading={remove.isPending}
            disabled={isBusy}
          >
            Delete draft
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useActs(draft: Draft, onClose: () => void) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const onSettled = () =>
    Promise.all([
      queries.invalidateQueries(trpc.drafts.list.pathFilter()),
      queries.invalidateQueries(trpc.messages.pathFilter()),
      queries.invalidateQueries(trpc.threads.pathFilter()),
    ]);
  const done = (words: string) => ({
    onSuccess() {
      succeeded(words);
      onClose();
    },
    onSettled,
  });
  const { id } = draft;
  const revision = useRef(draft.revision);
  const write = async ({ to, cc, subject, text }: Fields) => {
    // An empty To keeps what it was: a list of recipients cannot be cleared.
    const people = { ...(to.trim() && { to: recipientsOf(to) }), cc: recipientsOf(cc) };
    const named = subject === "" && draft.subject === null ? {} : { subject };
    const input = { id, revision: revision.current, ...people, ...named, text };
    revision.current = (await client.drafts.update.mutate(input)).revision;
  };
  return {
    save: useMutation({ mutationFn: write, ...done("Draft saved") }),
    send: useMutation({
      mutationFn: async (fields: Fields) => {
        await write(fields);
        return client.drafts.send.mutate({ id, revision: revision.current });
      },
      ...done("Message queued"),
    }),
    remove: useMutation({ mutationFn: () => client.drafts.remove.mutate({ id }), ...done("Draft deleted") }),
  };
}
