// The files of a message: chosen, dropped or pasted, and read into memory.
"use client";
import { type DragEvent, useState } from "react";

/** `content` is undefined for a file that only the service has. */
export type MailFile = { filename: string; content_type: string; size: number; content: string | undefined };

/** The service takes 25 MiB with the base64 of the files and the text. */
const TOTAL_BYTES = 18 * 1024 * 1024;
const FILES_MAX = 100;
const FILENAME_CHARS = 255;
const TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;
const TOO_LARGE = "The files are larger than 18 MB together. Leave some out, or send a link.";
const TOO_MANY = "A message takes 100 files.";
const STORED = "Remove the files of the saved draft first, then attach all files again.";

async function read(file: File): Promise<MailFile> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result).split(",", 2)[1] ?? "");
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(new Blob([bytes]));
  const filename = file.name.replace(/\p{Cc}+/gu, " ").slice(-FILENAME_CHARS) || "file";
  const content_type = TYPE.test(file.type) ? file.type : "application/octet-stream";
  return { filename, content_type, size: bytes.length, content: await promise };
}

function refusalOf(before: MailFile[], chosen: File[]): string | undefined {
  if (before.some(({ content }) => content === undefined)) return STORED;
  if (before.length + chosen.length > FILES_MAX) return TOO_MANY;
  const total = [...before, ...chosen].reduce((sum, { size }) => sum + size, 0);
  return total > TOTAL_BYTES ? TOO_LARGE : undefined;
}

/** @param stored the files that the service has of this draft */
export function useFiles(stored: Omit<MailFile, "content">[]) {
  const [files, setFiles] = useState<MailFile[]>(() => stored.map((file) => ({ ...file, content: undefined })));
  const [problem, setProblem] = useState<string>();

  async function add(chosen: File[]) {
    if (chosen.length === 0) return;
    const refusal = refusalOf(files, chosen);
    setProblem(refusal);
    if (refusal) return;
    try {
      const added = await Promise.all(chosen.map(read));
      setFiles((before) => [...before, ...added]);
    } catch {
      setProblem("A file could not be read. A folder cannot be attached.");
    }
  }

  function remove(file: MailFile) {
    setProblem(undefined);
    // The service replaces all files of a draft: of those that only it has, none can be kept alone.
    setFiles((before) => (file.content === undefined ? [] : before.filter((each) => each !== file)));
  }

  return {
    files,
    problem,
    add: (chosen: File[]) => void add(chosen),
    remove,
    /** Leaves the files that only the service has to the draft that they are of. */
    leaveStored: () => setFiles((before) => before.filter(({ content }) => content !== undefined)),
  };
}

/** Props of an element that takes dropped files, unless an element inside it took them. */
export function useDropping(take: (files: File[]) => void) {
  const [isOver, setOver] = useState(false);
  return {
    "data-dropping": isOver || undefined,
    onDragOver(event: DragEvent) {
      const isFree = !event.defaultPrevented && event.dataTransfer.types.includes("Files");
      if (isFree) event.preventDefault();
      setOver(isFree);
    },
    onDragLeave: () => setOver(false),
    onDrop(event: DragEvent) {
      setOver(false);
      if (event.defaultPrevented || event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      take([...event.dataTransfer.files]);
    },
  };
}
