// The source of a message: its header lines, and the raw mail for download.
"use client";
import { Button, Group } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { IconDownload } from "../../../design/icons.tsx";
import { Copy } from "../../parts/copy.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { failed } from "../../parts/toast.tsx";
import { useTRPCClient } from "../../trpc.ts";
import { type Message, sizeText } from "./message.ts";
import classes from "./thread.module.css";

export function MessageSource({ message }: { message: Message }) {
  const client = useTRPCClient();
  const save = useMutation({
    mutationFn: () => client.messages.raw.query({ id: message.id }),
    onSuccess: ({ content_base64, filename }) => saveFile(content_base64, filename ?? `${message.id}.eml`),
    onError: (error) => failed(error, "The mail could not be downloaded"),
  });
  const headers = message.headers.map(({ name, value }) => `${name}: ${value}`).join("\n");
  if (message.direction === "outbound")
    return <p className={classes.note}>This message was sent from here. It has no source.</p>;
  return (
    <>
      <Group justify="space-between" mb="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={15} aria-hidden />}
          loading={save.isPending}
          onClick={() => save.mutate()}
        >
          Download the original mail ({sizeText(message.size)})
        </Button>
        <Copy text={headers} what="the header lines" />
      </Group>
      <pre className={classes.source}>{headers || "(no header lines: the mail could not be parsed)"}</pre>
    </>
  );
}
