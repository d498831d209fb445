// The files of a message, each with a button that removes it, and the button that attaches more.
"use client";
import { ActionIcon, Button, type ButtonProps, Text } from "@mantine/core";
import { useRef } from "react";
import { IconPaperclip } from "../../../design/icons.tsx";
import { IconTrash } from "../../../design/shell-icons.tsx";
import { sizeText } from "../thread/message.ts";
import classes from "./composer.module.css";
import type { useFiles } from "./files.ts";

export function FileList({ attached: { files, problem, remove } }: { attached: ReturnType<typeof useFiles> }) {
  return (
    <>
      {files.length > 0 && (
        <ul className={classes.files} aria-label="Files to send">
          {files.map((file) => (
            <li key={`${file.filename} ${file.size}`} className={classes.file}>
              <IconPaperclip size={15} aria-hidden />
              <span className={classes.name}>{file.filename}</span>
              <span className={classes.size}>{sizeText(file.size)}</span>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={file.content === undefined ? "Remove all files" : `Remove ${file.filename}`}
                onClick={() => remove(file)}
              >
                <IconTrash size={15} aria-hidden />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
      {problem && (
        <Text size="sm" c="red" role="alert">
          {problem}
        </Text>
      )}
    </>
  );
}

type AttachProps = ButtonProps & { onFiles: (files: File[]) => void };

export function AttachButton({ onFiles, ...button }: AttachProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        leftSection={<IconPaperclip size={16} aria-hidden />}
        {...button}
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}
