// The form that changes a held message. Saving makes a new revision, which still waits.
"use client";
import { Alert, Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import shared from "../../design/shared.module.css";
import { RecipientInput, usePeople } from "../mail/composer/recipients.tsx";
import { describeFailure } from "../parts/failure.ts";
import { forgetText, keepText, keptText } from "../parts/kept-text.ts";
import { useLeavingWarning } from "../parts/leaving.ts";
import { Problem } from "../parts/problem.tsx";
import { succeeded } from "../parts/toast.tsx";
import { useTRPC } from "../trpc.ts";
import { type Change, placeOfChange, type Review, type Revision } from "./review.ts";

const SUBJECT_CHARS = 998;
const LINES_MIN = 6;
const LINES_MAX = 24;

type Props = { review: Review; latest: Revision; onClose: () => void };

export default function EditMessage({ review, latest, onClose }: Props) {
  const { id, sha256, inbox } = review;
  const place = placeOfChange(id);
  const trpc = useTRPC();
  const queries = useQueryClient();
  const people = usePeople(inbox);
  const [draft, setDraft] = useState<Change>(() => keptText<Change>(place) ?? latest);
  const [isChanged, setChanged] = useState(() => keptText(place) !== undefined);
  useLeavingWarning(isChanged);
  const isOver = review.status !== "pending";
  function change(part: Partial<Change>) {
    const next = { ...draft, ...part };
    setDraft(next);
    setChanged(true);
    keepText(place, next);
  }
  function close() {
    forgetText(place);
    onClose();
  }
  const save = useMutation(
    trpc.reviews.edit.mutationOptions({
      onSuccess() {
        succeeded("Saved as a new revision. It still waits for approval");
        close();
      },
      onSettled: () => queries.invalidateQueries(trpc.reviews.pathFilter()),
    }),
  );
  const issues = save.error ? describeFailure(save.error).issues : {};

  function submit(event: SubmitEvent) {
    event.preventDefault();
    const { to, cc, bcc, subject, text, html } = draft;
    save.mutate({ id, sha256, to, cc, bcc, subject, text, html });
  }

  const recipients = (field: "to" | "cc" | "bcc", label: string) => (
    <RecipientInput
      label={label}
      value={draft[field]}
      people={people}
      readOnly={isOver}
      onChange={(value) => change({ [field]: value })}
      error={Object.entries(issues).find(([path]) => path === field || path.startsWith(`${field}.`))?.[1]}
    />
  );
  const body = (field: "text" | "html", label: string) =>
    latest[field] !== null && (
      <Textarea
        label={label}
        autosize
        minRows={LINES_MIN}
        maxRows={LINES_MAX}
        value={draft[field] ?? ""}
        readOnly={isOver}
        onChange={(event) => change({ [field]: event.currentTarget.value })}
        error={issues[field]}
      />
    );
  return (
    <form onSubmit={submit} className={shared.panel} aria-label="Change the message">
      <Stack>
        {save.error && Object.keys(issues).length === 0 && (
          <Problem error={save.error} what="The message was not changed" />
        )}
        {isOver && (
          <Alert color="yellow" role="alert" title={`This message was ${review.status} before you saved your changes`}>
            They are shown here until you close them, and are not part of the message.
          </Alert>
        )}
        {!isOver && draft.sha256 !== sha256 && (
          <Alert color="yellow" role="alert" title={`${latest.author} changed this message after you began`}>
            Save replaces that version with yours.
          </Alert>
        )}
        {recipients("to", "To")}
        {recipients("cc", "Cc")}
        {recipients("bcc", "Bcc")}
        <TextInput
          label="Subject"
          maxLength={SUBJECT_CHARS}
          value={draft.subject}
          readOnly={isOver}
          onChange={(event) => change({ subject: event.currentTarget.value })}
          error={issues.subject}
        />
        {body("text", "Text")}
        {body("html", "HTML")}
        <Group>
          {!isOver && (
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          )}
          <Button variant="default" onClick={close} disabled={save.isPending}>
            {isOver ? "Close" : "Cancel"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
