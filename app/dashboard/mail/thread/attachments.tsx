// The attachments of a message: downloaded, never opened here.
"use client";
import { Loader } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { IconDownload, IconPaperclip } from "../../../design/icons.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { failed } from "../../parts/toast.tsx";
import { useTRPCClient } from "../../trpc.ts";
import { type Message, sizeText } from "./message.ts";
import classes from "./thread.module.css";

type File = Message["attachments"][number];

export function Attachments({ message }: { message: Message }) {
  if (message.attachments.length === 0) return null;
  return (
    <ul className={classes.files} aria-label="Attachments">
      {message.attachments.map((file) => (
        <li key={file.id}>
          <AttachedFile messageId={message.id} file={file} />
        </li>
      ))}
    </ul>
  );
}

/** Parts of reports and forwarded mail seldom have a name. */
const UNNAMED: Record<string, string | undefined> = {
  "message/rfc822": "The mail it is about",
  "text/rfc822-headers": "Header of the mail it is about",
  "message/delivery-status": "Delivery report",
};

function AttachedFile({ messageId, file }: { messageId: string; file: File }) {
  const client = useTRPCClient();
  const name = file.filename ?? UNNAMED[file.content_type] ?? "unnamed";
  const save = useMutation({
    mutationFn: () => client.messages.attachment.query({ id: messageId, attachment_id: file.id }),
    onSuccess: ({ content_base64, filename }) => saveFile(content_base64, filename ?? name),
    onError: (error) => failed(error, `${name} could not be downloaded`),
  });
  return (
    <button
      type="button"
      className={classes.file}
      onClick={() => save.mutate()}
      disabled={save.isPending}
      title={`${file.content_type}. Saved unchanged. Open it only if you trust the sender.`}
    >
      {save.isPending ? <Loader size={14} /> : <IconPaperclip size={15} aria-hidden />}
      <span className={classes.cut}>{name}</span>
      <span className={classes.faint}>{sizeText(file.size)}</span>
      <IconDownload size={15} aria-label="Save" role="img" />
    </button>
  );
}
