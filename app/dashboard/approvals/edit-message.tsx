// The form that changes a held message. Saving makes a new revision, which still waits.
"use client";
import { Button, Group, Stack, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import shared from "../../design/shared.module.css";
import { describeFailure } from "../parts/failure.ts";
import { Problem } from "../parts/problem.tsx";
import { succeeded } from "../parts/toast.tsx";
import { useTRPC } from "../trpc.ts";
import type { Review, Revision } from "./review.ts";

const SUBJECT_CHARS = 998;
const RECIPIENTS_MAX = 50;
/** Names may have blanks and commas; a list is split when it is saved. */
const SEPARATORS = [";"];
const LINES_MIN = 6;
const LINES_MAX = 24;

type Props = { review: Review; latest: Revision; onClose: () => void };

export default function EditMessage({ review: { id, sha256 }, latest, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [said, setSaid] = useState(latest);
  const save = useMutation(
    trpc.reviews.edit.mutationOptions({
      onSuccess() {
        succeeded("Saved as a new revision. It still waits for approval");
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.reviews.pathFilter()),
    }),
  );
  const issues = save.error ? describeFailure(save.error).issues : {};

  function submit(event: SubmitEvent) {
    event.preventDefault();
    const { to, cc, bcc, subject, text, html } = said;
    save.mutate({ id, sha256, to, cc, bcc, subject, text, html });
  }

  const people = (field: "to" | "cc" | "bcc", label: string) => (
    <TagsInput
      label={label}
      value={said[field]}
      onChange={(value) => setSaid({ ...said, [field]: value })}
      maxTags={RECIPIENTS_MAX}
      splitChars={SEPARATORS}
      acceptValueOnBlur
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
        value={said[field] ?? ""}
        onChange={(event) => setSaid({ ...said, [field]: event.currentTarget.value })}
        error={issues[field]}
      />
    );
  return (
    <form onSubmit={submit} className={shared.panel} aria-label="Change the message">
      <Stack>
        {save.error && Object.keys(issues).length === 0 && (
          <Problem error={save.error} what="The message was not changed" />
        )}
        {people("to", "To")}
        {people("cc", "Cc")}
        {people("bcc", "Bcc")}
        <TextInput
          label="Subject"
          maxLength={SUBJECT_CHARS}
          value={said.subject}
          onChange={(event) => setSaid({ ...said, subject: event.currentTarget.value })}
          error={issues.subject}
        />
        {body("text", "Text")}
        {body("html", "HTML")}
        <Group>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
          <Button variant="default" onClick={onClose} disabled={save.isPending}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
