// The thread that reads the text of attachments, one at a time. If a file crashes or blocks it, the service continues.
import { answerQuestions } from "../../base/threads/thread-work.ts";
import { storable } from "../inbound/headers.ts";
import { replaceDecompressionStream } from "./inflate.ts";
import { calendarText, mailText, plainText } from "./mail.ts";
import { readOffice } from "./office.ts";
import { readPdf } from "./pdf.ts";

export const PAGE_CHARS = 50_000;
const MAGIC_BYTES = 1_024;

export type TextKind = "pdf" | "docx" | "xlsx" | "csv" | "ics" | "eml" | "text";
export type TextQuestion = { bytes: Uint8Array<ArrayBuffer>; filename: string; contentType: string; offset: number };
/** `next` null: there is no more. `kind` null: no text can be read from such a file. */
export type TextAnswer = { kind: TextKind | null; text: string; next: number | null; truncated: boolean };

const NOTHING: TextAnswer = { kind: null, text: "", next: null, truncated: false };

/** Files without a mark of their own: by the name first, since senders often declare `application/octet-stream`. */
function namedKind({ filename, contentType }: TextQuestion): TextKind | undefined {
  const end = /\.(csv|tsv|ics|eml|txt|md|log|json|xml)$/i.exec(filename)?.[1]?.toLowerCase();
  const type = contentType.toLowerCase().split(";")[0]?.trim() ?? "";
  if (end === "csv" || end === "tsv" || type === "text/csv") return "csv";
  if (end === "ics" || type === "text/calendar") return "ics";
  if (end === "eml" || type === "message/rfc822") return "eml";
  return end || type === "text/plain" ? "text" : undefined;
}

function startsLike(bytes: Uint8Array, mark: string): boolean {
  return Buffer.from(bytes.subarray(0, MAGIC_BYTES)).includes(mark, 0, "latin1");
}

function slice(kind: TextKind, whole: string, offset: number): TextAnswer {
  const text = whole.slice(offset, offset + PAGE_CHARS);
  const next = offset + text.length;
  return { kind, text, next: next < whole.length ? next : null, truncated: false };
}

async function pdfPages(bytes: Uint8Array, offset: number): Promise<TextAnswer> {
  const { texts, pages } = await readPdf(bytes, offset, PAGE_CHARS);
  const fitting = texts.length > 1 && texts.join("\n\n").length > PAGE_CHARS ? texts.slice(0, -1) : texts;
  const whole = fitting.join("\n\n");
  const next = offset + fitting.length;
  return {
    kind: "pdf",
    text: whole.slice(0, PAGE_CHARS),
    next: next < pages ? next : null,
    truncated: whole.length > PAGE_CHARS,
  };
}

async function textOf(question: TextQuestion): Promise<TextAnswer> {
  const { bytes, offset } = question;
  if (startsLike(bytes, "%PDF-")) return pdfPages(bytes, offset);
  if (startsLike(bytes.subarray(0, 4), "PK\x03\x04")) {
    const office = readOffice(bytes);
    return office ? slice(office.kind, office.text, offset) : NOTHING;
  }
  const kind = namedKind(question);
  if (!kind) return NOTHING;
  if (kind === "eml") return slice(kind, await mailText(bytes), offset);
  return slice(kind, kind === "ics" ? calendarText(bytes) : plainText(bytes), offset);
}

replaceDecompressionStream();
answerQuestions<TextQuestion, TextAnswer>(async (question) => {
  const answer = await textOf(question);
  return { ...answer, text: storable(answer.text, PAGE_CHARS) };
});
