// Judges a raw mail as the service does, for figures over many mails.
import type { Authentication } from "#db/message-parts.ts";
import { answer } from "#server/receiving/parse-worker.ts";
import { judgeSpam } from "#server/receiving/spam.ts";
import type { Proof } from "./frauds.ts";

const RESULTS: Record<Proof, Authentication> = {
  pass: { spf: "pass", dkim: "pass", dmarc: "pass", arc: "none", aligned_from: true },
  none: { spf: "none", dkim: "none", dmarc: "none", arc: "none", aligned_from: false },
  fail: { spf: "softfail", dkim: "none", dmarc: "fail", arc: "none", aligned_from: false },
};

/** Of a sender that the mailbox does not know. */
export function verdictOn(raw: string | Buffer, proof: Proof) {
  const answered = answer({ raw: new Uint8Array(Buffer.from(raw)) });
  if (!("body" in answered)) throw new Error("unreachable: a mail was asked for");
  return judgeSpam(
    { ...answered.body.extracted.evidence, authentication: RESULTS[proof], isRemote: true, isOfFilter: false },
    "first",
  );
}
