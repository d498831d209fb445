// Stores a draft on the service a moment after each change, so that other tabs and members find it under Drafts.
"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { describeFailure } from "../../parts/failure.ts";
import { useLeavingWarning } from "../../parts/leaving.ts";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import { type Draft, isBlank } from "./draft.ts";
import type { MailFile } from "./files.ts";
import { itselfOf, type Writing } from "./kinds.ts";

const IDLE_MS = 1_500;
/** Failed saves are not repeated by themselves: the next change does. */
type State = { kind: "idle" | "saving" } | { kind: "saved"; refused: unknown } | { kind: "failed"; error: unknown };
type Content = { draft: Draft; files: MailFile[] };

/** The fields of a draft as the service takes them. Empty ones clear what it has. */
function fieldsOf(writing: Writing, { to, cc, bcc, subject, text, html, all, expected }: Draft) {
  const isReply = writing.kind === "reply";
  const itself = itselfOf(writing);
  return {
    to: itself && to.length === 0 ? itself : to,
    cc,
    bcc,
    // The service takes the subject of a reply from the message that it answers, and its recipients if none are given.
    ...(!isReply && { subject }),
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

/**
 * The draft as the service has it. `text`: its fields as JSON, empty if they may differ. `refused`: the error about the
 * recipients that it was saved without.
 */
type Kept = { server: Draft["server"]; text: string; files: MailFile[]; refused: unknown };

function keptOf(writing: Writing, { draft, files }: Content, isFromTab: boolean): Kept {
  // What was typed just before a reload may not be saved.
  const isSure = !isFromTab || draft.server === null;
  const text = isSure ? JSON.stringify(fieldsOf(writing, draft)) : "";
  return { server: draft.server, text, files, refused: undefined };
}

const PEOPLE = ["to", "cc", "bcc"] as const;

/** The fields without the recipients that the error names; undefined if it is about anything else. */
function withoutRefused(fields: ReturnType<typeof fieldsOf>, error: unknown) {
  const paths = Object.keys(describeFailure(error).issues).map((path) => path.split("."));
  const isAboutPeople = ([field, place]: string[]) => PEOPLE.some((each) => each === field) && place !== undefined;
  if (paths.length === 0 || !paths.every(isAboutPeople)) return undefined;
  const left = PEOPLE.map((field) => {
    const isGood = (_: string, place: number) => !paths.some(([name, at]) => name === field && at === String(place));
    return [field, fields[field].filter(isGood)];
  });
  const rest: typeof fields = { ...fields, ...Object.fromEntries(left) };
  // A reply without To would go to the sender of its message.
  return fields.to.length > 0 && rest.to.length === 0 && fields.in_reply_to !== undefined ? undefined : rest;
}

type Client = ReturnType<typeof useTRPCClient>;

/** Writes what differs from `kept`, and updates it. A recipient that the service refuses does not keep the text from being saved. */
async function write(client: Client, writing: Writing, kept: Kept, { draft, files }: Content) {
  const fields = fieldsOf(writing, draft);
  const text = JSON.stringify(fields);
  const { server } = kept;
  if (server && text === kept.text && files === kept.files) return server;
  const more = files === kept.files ? {} : { attachments: attachmentsOf(files) };
  const store = (given: typeof fields) =>
    server
      ? client.drafts.update.mutate({ ...server, ...given, ...more })
      : client.drafts.create.mutate({ inbox: writing.inbox, ...given, ...more });
  let refused: unknown;
  const { id, revision } = await store(fields).catch((error: unknown) => {
    const rest = withoutRefused(fields, error);
    if (!rest) throw error;
    refused = error;
    return store(rest);
  });
  const written = { id, revision };
  Object.assign(kept, { server: written, text, files, refused });
  return written;
}

type OnSaved = (part: Pick<Draft, "server" | "stored">) => void;

/** @param onSaved is called after each save */
export function useSaving(writing: Writing, content: Content, isFromTab: boolean, onSaved: OnSaved) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const [state, setState] = useState<State>({ kind: "idle" });
  const [kept] = useState(() => keptOf(writing, content, isFromTab));
  const latest = useRef(content);
  latest.current = content;
  const turn = useRef<Promise<unknown>>(Promise.resolve());
  const isDue = JSON.stringify(fieldsOf(writing, content.draft)) !== kept.text || content.files !== kept.files;

  /**
   * Saves what is not saved yet, after the save in progress.
   * @throws CallError when it is not saved
   */
  async function save() {
    const mine = turn.current.then(() => write(client, writing, kept, latest.current));
    // Its caller handles its error; the next save only waits for it.
    turn.current = mine.catch(() => undefined);
    setState({ kind: "saving" });
    try {
      const server = await mine;
      onSaved({ server, stored: kept.files.map(({ content: _, ...file }) => file) });
      setState({ kind: "saved", refused: kept.refused });
      void queries.invalidateQueries(trpc.drafts.list.pathFilter());
      return server;
    } catch (error) {
      setState({ kind: "failed", error });
      throw error;
    }
  }

  useLeavingWarning(writing.kind === "forward" ? !isBlank(content.draft) || content.files.length > 0 : isDue);
  // The state has the error.
  useIdle(isDue && writing.kind !== "forward", content, () => void save().catch(() => undefined));
  const code = state.kind === "failed" ? describeFailure(state.error).code : undefined;
  return {
    state,
    isDue,
    save,
    /** Whether the last save left recipients out. */
    isPartly: () => kept.refused !== undefined,
    /** @throws CallError also when it is saved without a recipient */
    async saveWhole() {
      const server = await save();
      if (kept.refused) throw kept.refused;
      return server;
    },
    /** Continues from another revision, or as another draft. */
    rebase: (server: Draft["server"]) => Object.assign(kept, { server, text: "", ...(server ? {} : { files: [] }) }),
    isChangedElsewhere: code === "draft_changed",
    /** It was sent, scheduled or deleted. */
    isGone: code === "draft_not_found",
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
