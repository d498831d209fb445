// The form for a new message, a reply or a forward. The draft survives errors and reloads.
"use client";
import { Button, Checkbox, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useRef, useState } from "react";
import { IconSend } from "../../../design/icons.tsx";
import { describeFailure } from "../../parts/failure.ts";
import { succeeded } from "../../parts/toast.tsx";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import { type Draft, recipientsOf, useDraft } from "./draft.ts";
import { SendLimit } from "./send-limit.tsx";
import { SendProblem } from "./send-problem.tsx";

/** The message to write: `place` names its draft. */
export type Writing =
  | { kind: "new"; place: string; inbox: string }
  | {
      kind: "reply";
      place: string;
      inbox: string;
      id: string;
      to: string[];
      others: string[];
      last: string;
      all: boolean;
    }
  | { kind: "forward"; place: string; inbox: string; id: string };

type Props = {
  writing: Writing;
  /** The thread's newest known message. */
  last?: string;
  onSent: (threadId: string) => void;
  onClose: () => void;
};

function beginning(writing: Writing): Partial<Draft> {
  return writing.kind === "reply" ? { all: writing.all, expected: writing.last } : {};
}

const DONE = { new: "Message queued", reply: "Reply queued", forward: "Forward queued" };
const PLACEHOLDERS = { new: "", reply: "Your reply", forward: "Your message" };

export function Composer({ writing, last, onSent, onClose }: Props) {
  const { kind, inbox } = writing;
  const { draft, change, renew, forget } = useDraft(writing.place, beginning(writing));
  const [showMore, setShowMore] = useState(draft.cc !== "" || draft.bcc !== "");
  const send = useSend(writing, (threadId) => {
    forget();
    succeeded(DONE[kind]);
    onSent(threadId);
  });
  const issues = send.error ? describeFailure(send.error).issues : {};
  const issueOf = (field: string) => Object.entries(issues).find(([path]) => path.split(".")[0] === field)?.[1];

  // The second click of a double click can arrive before React shows the button as busy.
  const sending = useRef(false);
  function sendOnce(what: Draft) {
    if (sending.current) return;
    sending.current = true;
    send.mutate(what, {
      onSettled() {
        sending.current = false;
      },
    });
  }

  function submit(event: SubmitEvent) {
    event.preventDefault();
    sendOnce(draft);
  }

  function discard() {
    forget();
    onClose();
  }

  return (
    <form onSubmit={submit} aria-label={kind === "new" ? "New message" : kind === "reply" ? "Reply" : "Forward"}>
      <Stack gap="sm">
        {writing.kind === "reply" ? (
          <ReplyHead writing={writing} draft={draft} change={change} />
        ) : (
          <>
            <TextInput
              label="To"
              placeholder="someone@example.com, another@example.com"
              required
              value={draft.to}
              onChange={(event) => change({ to: event.currentTarget.value })}
              error={issueOf("to")}
              data-autofocus
            />
            {showMore && (
              <>
                <TextInput
                  label="Cc"
                  value={draft.cc}
                  onChange={(event) => change({ cc: event.currentTarget.value })}
                  error={issueOf("cc")}
                />
                <TextInput
                  label="Bcc"
                  value={draft.bcc}
                  onChange={(event) => change({ bcc: event.currentTarget.value })}
                  error={issueOf("bcc")}
                />
              </>
            )}
          </>
        )}
        {kind === "new" && (
          <TextInput
            label="Subject"
            value={draft.subject}
            onChange={(event) => change({ subject: event.currentTarget.value })}
            error={issueOf("subject")}
          />
        )}
        <Textarea
          label="Message"
          required={kind !== "forward"}
          rows={8}
          placeholder={PLACEHOLDERS[kind]}
          value={draft.text}
          onChange={(event) => change({ text: event.currentTarget.value })}
          error={issueOf("text")}
          {...(kind === "reply" && { "data-autofocus": true })}
        />
        {send.error && (
          <SendProblem
            error={send.error}
            onSendAnyway={() => {
              change({ expected: last ?? null });
              sendOnce({ ...draft, expected: last ?? null });
            }}
            onSendAsNew={renew}
          />
        )}
        <SendLimit inbox={inbox} />
        <Group justify="space-between">
          <Group gap="xs">
            <Button type="submit" leftSection={<IconSend size={16} aria-hidden />} loading={send.isPending}>
              Send
            </Button>
            <Button variant="default" onClick={onClose}>
              Save draft
            </Button>
          </Group>
          <Group gap="xs">
            {kind !== "reply" && !showMore && (
              <Button variant="subtle" color="gray" onClick={() => setShowMore(true)}>
                Cc, Bcc
              </Button>
            )}
            <Button variant="subtle" color="gray" onClick={discard}>
              Discard
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

type ReplyProps = {
  writing: Extract<Writing, { kind: "reply" }>;
  draft: Draft;
  change: (part: Partial<Draft>) => void;
};

function ReplyHead({ writing, draft, change }: ReplyProps) {
  return (
    <>
      <Text size="sm">
        <Text span c="dimmed" size="sm">
          To{" "}
        </Text>
        {writing.to.join(", ")}
        {draft.all && writing.others.length > 0 && (
          <>
            <Text span c="dimmed" size="sm">
              {" "}
              and in copy{" "}
            </Text>
            {writing.others.join(", ")}
          </>
        )}
      </Text>
      {writing.others.length > 0 && (
        <Checkbox
          label="Reply to all"
          checked={draft.all}
          onChange={(event) => change({ all: event.currentTarget.checked })}
        />
      )}
    </>
  );
}

function useSend(writing: Writing, onSent: (threadId: string) => void) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (draft: Draft) => {
      const { text, key: idempotency_key } = draft;
      const people = { to: recipientsOf(draft.to), cc: recipientsOf(draft.cc), bcc: recipientsOf(draft.bcc) };
      if (writing.kind === "new") {
        const { subject } = draft;
        return client.messages.send.mutate({ addr: writing.inbox, ...people, subject, text, idempotency_key });
      }
      if (writing.kind === "forward") {
        return client.messages.forward.mutate({ id: writing.id, ...people, ...(text && { text }), idempotency_key });
      }
      return client.messages.reply.mutate({
        id: writing.id,
        text,
        reply_all: draft.all,
        idempotency_key,
        ...(draft.expected && { expected_last_message_id: draft.expected }),
      });
    },
    onSuccess({ thread_id }) {
      void queries.invalidateQueries(trpc.threads.pathFilter());
      void queries.invalidateQueries(trpc.messages.list.pathFilter());
      void queries.invalidateQueries(trpc.messages.sendLimit.pathFilter());
      void queries.invalidateQueries(trpc.inboxes.summaries.pathFilter());
      onSent(thread_id);
    },
    onError() {
      // Newer messages are shown above the draft.
      void queries.invalidateQueries(trpc.threads.pathFilter());
    },
  });
}
