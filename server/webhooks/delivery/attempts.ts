// An attempt as the log of deliveries keeps it.
import { newId } from "../../base/ids.ts";
import type { Answer } from "./post.ts";

export type LoggedAttempt = {
  attempt_id: string;
  started_at: Date;
  duration_ms: number;
  /** `[name, value]`, the signature included; without what HTTP itself adds (Host, Content-Length, Connection). */
  request_headers: [string, string][];
  /** The first KiB; null: no answer. */
  response_body: string | null;
};

/** @param headers a flat list of names and values; empty when nothing could be sent */
export function logged(startedAt: Date, headers: string[], answer: Answer): LoggedAttempt {
  const request_headers: [string, string][] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) request_headers.push([headers[i] ?? "", headers[i + 1] ?? ""]);
  return {
    attempt_id: newId(),
    started_at: startedAt,
    duration_ms: answer.durationMs,
    request_headers,
    response_body: answer.body,
  };
}
