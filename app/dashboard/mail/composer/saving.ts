// Stores a draft on the service a moment after each change, so that other tabs and members find it under Drafts.
"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { describeFailure } from "../../parts/failure.ts";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import type { Draft } from "./draft.ts";
import type { MailFile } from "./files.ts";
import { itselfOf, type Writing } from "./kinds.ts";

const IDLE_MS = 1_500;
/** Failed saves are not repeated by themselves: the next change does. */
type State = { kind: "idle" | "saving" | "saved" } | { kind: "failed"; error: unknown };
type Content = { draft: Draft; files: MailFile[] };

/** The fields of a draft as the service takes them. Empty ones clear what it has. */
function fieldsOf(writing: Writing, { to, cc, bcc, subject, text, html, all, expected }: Draft) {
  const isReply = writing.kind === "reply";
  const itself = itselfOf(writing);
  return {
    // The service takes the recipients and the subject of a reply from the message that it answers.
    ...(!isReply && { to, cc, bcc, subject }),
    ...(itself && { to: itself }),
    text,
    html: html ?? "",
    ...(isReply && { in_reply_to: writing.id, reply_all: all }),
    ...(expected && { expected_last_message_id: expected }),
  };
}

/** Files that only the service has are not among new ones. */
export function attachmentsOf(files: MailFile[]) {
  return files.flatMap(({ filename, content_type, content }) =>
    content === undefined ? [] : { filename, content_type, content_base64: content },
  );
}

/** The draft as the service has it. `text`: its fields as JSON, empty if they may differ. */
type Kept = { server: Draft["server"]; text: string; files: MailFile[] };

function keptOf(writing: Writing, { draft, files }: Content): Kept {
  // What was typed just before a reload may not be saved.
  const isSure = writing.kind === "draft" || draft.server === null;
  return { server: draft.server, text: isSure ? JSON.stringify(fieldsOf(writing, draft)) : "", files };
}

type Client = ReturnType<typeof useTRPCClient>;

/** Writes what differs from `kept`, and updates it. */
async function write(client: Client, writing: Writing, kept: Kept, { draft, files }: Content) {
  const fields = fieldsOf(writing, draft);
  const text = JSON.stringify(fields);
  const { server } = kept;
  if (server && text === kept.text && files === kept.files) return server;
  const more = files === kept.files ? {} : { attachments: attachmentsOf(files) };
  const { id, revision } = server
    ? await client.drafts.update.mutate({ ...server, ...fields, ...more })
    : await client.drafts.create.mutate({ inbox: writing.inbox, ...fields, ...more });
  const written = { id, revision };
  Object.assign(kept, { server: written, text, files });
  return written;
}

type OnSaved = (part: Pick<Draft, "server" | "stored">) => void;

/** @param onSaved is called after each save */
export function useSaving(writing: Writing, content: Content, onSaved: OnSaved) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const [state, setState] = useState<State>({ kind: "idle" });
  const [kept] = useState(() => keptOf(writing, content));
  const latest = useRef(content);
  latest.current = content;
  const turn = useRef<Promise<unknown>>(Promise.resolve());
  const isDue = JSON.stringify(fieldsOf(writing, content.draft)) !== kept.text || content.files !== kept.files;

  /** Saves what is not saved yet, after the save in progress. */
  async function save() {
    const mine = turn.current.then(() => write(client, writing, kept, latest.current));
    // Its caller handles its error; the next save only waits for it.
    turn.current = mine.catch(() => undefined);
    setState({ kind: "saving" });
    try {
      const server = await mine;
      onSaved({ server, stored: kept.files.map(({ content: _, ...file }) => file) });
      setState({ kind: "saved" });
      void queries.invalidateQueries(trpc.drafts.list.pathFilter());
      return server;
    } catch (error) {
      setState({ kind: "failed", error });
      throw error;
    }
  }

  // The state has the error.
  useIdle(isDue && writing.kind !== "forward", content, () => void save().catch(() => undefined));
  return {
    state,
    save,
    /** Continues from another revision, or as another draft. */
    rebase: (server: Draft["server"]) => Object.assign(kept, { server, text: "", ...(server ? {} : { files: [] }) }),
    isChangedElsewhere: state.kind === "failed" && describeFailure(state.error).code === "draft_changed",
  };
}

/** Calls `act` when nothing has changed for a moment. */
function useIdle(isDue: boolean, content: Content, act: () => void) {
  const latest = useRef(act);
  latest.current = act;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the content restarts the timer.
  useEffect(() => {
    if (!isDue) return;
    const timer = setTimeout(() => latest.current(), IDLE_MS);
    return () => clearTimeout(timer);
  }, [isDue, content.draft, content.files]);
}
