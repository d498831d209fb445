// The thread that reads mails to return paths. If a mail crashes or blocks it, the service continues.
import { answerQuestions } from "../../base/threads/thread-work.ts";
import { type Report, readReport } from "./report.ts";

export type ReportQuestion = { raw: Uint8Array<ArrayBuffer> };

answerQuestions<ReportQuestion, Report>(({ raw }) =>
  readReport(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)),
);
