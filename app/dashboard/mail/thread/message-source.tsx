// The source of a received message: shown, copied, downloaded. Of a sent one, the headers that its author added.
"use client";
import { Button, Group, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconDownload } from "../../../design/icons.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Problem } from "../../parts/problem.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { failed } from "../../parts/toast.tsx";
import { useTRPC } from "../../trpc.ts";
import { type Message, sizeText } from "./message.ts";
import classes from "./thread.module.css";

/** A larger mail is only downloaded. */
const LOADED_BYTES = 1024 * 1024;
const SHOWN_CHARS = 200_000;

export function MessageSource({ message }: { message: Message }) {
  const trpc = useTRPC();
  const isSmall = message.size <= LOADED_BYTES;
  const isInbound = message.direction === "inbound";
  const raw = useQuery(
    trpc.messages.raw.queryOptions(
      { id: message.id },
      { enabled: isInbound && isSmall, staleTime: Number.POSITIVE_INFINITY },
    ),
  );
  if (!isInbound) return <AddedHeaders message={message} />;
  if (raw.isLoadingError)
    return <Problem error={raw.error} what="The source could not be loaded" retry={() => void raw.refetch()} />;
  if (isSmall && !raw.data) return <Skeleton height={200} />;
  const text = raw.data ? textOf(raw.data.content_base64) : headersOf(message);
  async function save() {
    const { data, error } = await (raw.data ? raw : raw.refetch());
    if (data) saveFile(data.content_base64, data.filename ?? `${message.id}.eml`);
    else failed(error, "The mail could not be downloaded");
  }
  return (
    <>
      <Group justify="space-between" mb="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={15} aria-hidden />}
          loading={raw.isFetching}
          onClick={() => void save()}
        >
          Download the original mail ({sizeText(message.size)})
        </Button>
        <Copy text={text} what={isSmall ? "the source" : "the header lines"} />
      </Group>
      {text.length > SHOWN_CHARS && (
        <p className={classes.note}>Only the beginning is shown. The copy has all of it.</p>
      )}
      {!isSmall && <p className={classes.note}>This mail is large: only its header lines are shown.</p>}
      <pre className={classes.source}>
        {text.slice(0, SHOWN_CHARS) || "(no header lines: the mail could not be parsed)"}
      </pre>
    </>
  );
}

function AddedHeaders({ message }: { message: Message }) {
  const text = headersOf(message);
  if (text === "") return <p className={classes.note}>This message was sent from here. It has no source.</p>;
  return (
    <>
      <Group justify="space-between" mb="xs">
        <p className={classes.note}>This message was sent from here, with these headers added.</p>
        <Copy text={text} what="the header lines" />
      </Group>
      <pre className={classes.source}>{text}</pre>
    </>
  );
}

function textOf(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
}

function headersOf({ headers }: Message): string {
  return headers.map(({ name, value }) => `${name}: ${value}`).join("\n");
}
