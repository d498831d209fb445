// Explains, step by step, why a signature header does not match a body and a secret. Pure except for WebCrypto: nothing
// leaves the browser.
import {
  bare,
  EVENT_FIELDS,
  type Evidence,
  encode,
  findMatch,
  isRecord,
  type Match,
  parseJson,
} from "./signature-guesses.ts";

/** In both directions, like verifyWebhook. */
const WINDOW_SECONDS = 300;
const HEADER_MAX_CHARS = 4_096;
/** In base64; older ones in base64url. */
const SECRET = /^whsec_([\w-]{43}|[\w+/]{43}=)$/;
const TIMESTAMP = /^(0|[1-9]\d{0,14})$/;
const SIGNATURE = /^[0-9a-f]{64}$/i;
/** Seconds have ten digits until the year 2286. */
const MILLISECONDS = /^\d{13}$/;

export type Step = "secret" | "header" | "time" | "body" | "signature";
/** `good`: correct; `bad`: a receiver rejects it; `note`: worth knowing. */
export type Finding = { step: Step; state: "good" | "bad" | "note"; text: string; fix?: string | undefined };
/**
 * `valid`: a receiver accepts it; `stale`: correctly signed, but outside the window; `refused`: not signed like this.
 */
export type Diagnosis = { verdict: "valid" | "stale" | "refused"; findings: Finding[] };
type Header = { t: string | undefined; signatures: string[]; findings: Finding[] };

const bad = (step: Step, text: string, fix?: string): Finding => ({ step, state: "bad", text, fix });
const good = (step: Step, text: string): Finding => ({ step, state: "good", text });
const note = (step: Step, text: string, fix?: string): Finding => ({ step, state: "note", text, fix });
const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** "4 s", "12 min 3 s", "3 h 12 min", "2 d 4 h". */
function duration(seconds: number): string {
  const [d, h, min, s] = [seconds / 86_400, (seconds / 3_600) % 24, (seconds / 60) % 60, seconds % 60].map(Math.floor);
  const parts = [d && `${d} d`, h && `${h} h`, min && `${min} min`, s && `${s} s`].filter(Boolean);
  return parts.slice(0, 2).join(" ") || "0 s";
}

function judgeSecret(secret: string): Finding {
  const text = bare(secret);
  const again = "Copy it again from where you stored it; if it is lost, rotate the secret.";
  if (text === "") return bad("secret", "There is no secret.", "Paste the secret of this webhook: whsec_…");
  if (secret !== text) {
    return bad("secret", "The secret has white space or quotes around it.", "Remove them where your program reads it.");
  }
  if (SECRET.test(text)) return good("secret", "The secret has the form whsec_…, as the service creates it.");
  if (text.startsWith("whk_")) return bad("secret", "This is the id of a webhook, not its secret.", again);
  if (text.startsWith("mb_")) return bad("secret", "This is a key of the service, not a webhook's secret.", again);
  if (!text.startsWith("whsec_")) {
    return bad("secret", "The secret does not start with whsec_.", "Use the whole secret: whsec_ is part of the key.");
  }
  const rest = text.slice("whsec_".length);
  if (/[^\w+/=-]/.test(rest)) {
    return bad("secret", "The secret has characters that the service never uses (only A–Z a–z 0–9 + / = _ -).", again);
  }
  return bad("secret", `After whsec_ come ${rest.length} characters; the service creates 44.`, again);
}

/** The part of a pasted header after its name. */
function headerValue(header: string, findings: Finding[]): string {
  const text = bare(header);
  const named = /^([\w-]+-signature)["']?\s*[:=]\s*(.*)$/is.exec(text);
  if (!named) return text;
  findings.push(note("header", `“${named[1]}” is the header's name; only what comes after it was read.`));
  return bare(named[2] ?? "");
}

function judgeTimestamp(times: string[]): Finding | undefined {
  const [t] = times;
  const whole = "Use the value as received: t=<seconds>,v1=<hex>.";
  if (t === undefined) return bad("header", "The header has no t, the time of signing.", whole);
  if (times.length > 1) return bad("header", `The header has ${times.length} t; it must have one.`, whole);
  if (!TIMESTAMP.test(t)) return bad("header", `t is “${t}”; it must be whole seconds since 1970.`, whole);
}

function judgeSignatures(signatures: string[], value: string): Finding | undefined {
  const odd = signatures.find((signature) => !SIGNATURE.test(signature));
  if (signatures.length === 0) {
    const hint = /(^|[,;\s])(v0|V1|sha256)=/.exec(value)?.[2];
    return bad("header", `The header has no v1${hint ? `, only ${hint}` : ""}: there is no signature in it.`);
  }
  if (odd === undefined) return undefined;
  const why = /^[0-9a-f]*$/i.test(odd) ? `has ${plural(odd.length, "digit")} instead of 64` : "is not hexadecimal";
  return bad("header", `A v1 ${why}.`, "Take the whole header: it may have been cut off, or encoded another way.");
}

function readHeader(header: string): Header {
  const findings: Finding[] = [];
  const value = headerValue(header, findings);
  const none = { t: undefined, signatures: [], findings };
  if (value === "") {
    findings.push(
      bad("header", "There is no signature header.", "Check whether a proxy before your receiver removes it."),
    );
    return none;
  }
  if (value.length > HEADER_MAX_CHARS) {
    findings.push(bad("header", `The header has ${value.length} characters; a receiver reads ${HEADER_MAX_CHARS}.`));
    return none;
  }
  const separator = /[;&]/.test(value) || !value.includes(",") ? /[;&\s]+/ : ",";
  if (separator !== "," && /=.+[;&\s].*=/.test(value)) {
    findings.push(bad("header", "The parts of the header are not separated by commas.", "Use the value as received."));
  }
  const parts = value.split(separator).map((part) => part.trim().split("="));
  const valuesOf = (name: string) => parts.filter((part) => part[0] === name).map((part) => part[1] ?? "");
  const [times, signatures] = [valuesOf("t"), valuesOf("v1")];
  const problems = [judgeTimestamp(times), judgeSignatures(signatures, value)].filter((found) => found !== undefined);
  findings.push(...problems);
  if (!findings.some(({ state }) => state === "bad")) {
    findings.push(good("header", `The header has a t and ${signatures.length === 1 ? "a" : signatures.length} v1.`));
  }
  return { t: times[0], signatures: signatures.filter((each) => SIGNATURE.test(each)), findings };
}

function judgeTime(t: string, receivedAt: Date): Finding {
  const age = Math.floor(receivedAt.getTime() / 1_000) - Number(t);
  const away = Math.abs(age);
  const told = `Signed ${duration(away)} ${age < 0 ? "after" : "before"} the time of receipt`;
  if (away <= WINDOW_SECONDS) return good("time", `${told}: within the 5 minutes that a receiver allows.`);
  if (MILLISECONDS.test(t)) {
    return bad("time", "t is in milliseconds; it must be in seconds.", "The service signs seconds: do not change t.");
  }
  const fix =
    age < 0
      ? "The clock of the receiver is behind. Set it with NTP."
      : "Verify immediately, before any queue. If it was received earlier, enter the time of receipt. A redelivery has a new signature.";
  return bad("time", `${told}: ${duration(away - WINDOW_SECONDS)} outside the 5 minutes that a receiver allows.`, fix);
}

function judgeBody(text: string, size: number): Finding[] {
  if (size === 0) return [bad("body", "There is no body.", "Read the raw body before anything else consumes it.")];
  const traits = [
    text.startsWith("\uFEFF") ? "begins with a byte order mark" : /^\s/.test(text) && "begins with white space",
    /\n$/.test(text) ? "ends with a newline" : /\s$/.test(text) && "ends with white space",
    text.includes("\r\n") && "has CRLF line ends",
  ].filter((trait) => trait !== false);
  const facts = `The body has ${plural(size, "byte")}, ${plural([...text].length, "character")}`;
  const findings = [note("body", traits.length ? `${facts}; it ${traits.join(", ")}.` : `${facts}.`)];
  if (text.includes("\uFFFD")) {
    const fix = "Keep the bytes: do not decode them before they are verified.";
    findings.push(note("body", "It has replacement characters (\uFFFD): bytes were lost when it was decoded.", fix));
  }
  const event = parseJson(text);
  if (event === undefined) findings.push(note("body", "It is not JSON, but a delivery is. Check that it is complete."));
  else if (!isRecord(event) || !EVENT_FIELDS.every((field) => field in event)) {
    findings.push(note("body", `It is JSON, but not a delivery, which has ${EVENT_FIELDS.join(", ")}.`));
  }
  return findings;
}

function judgeMatch(match: Match | undefined, count: number): Finding[] {
  if (!match) {
    const fix =
      "Check that the secret belongs to this webhook, and was not rotated more than 24 hours ago. Then compare the body with the one on the delivery's page.";
    return [bad("signature", "No v1 matches, neither as pasted nor with a usual mistake undone.", fix)];
  }
  if (match.changes.length > 0) {
    const changes = match.changes.map(({ change }) => change).join(", and ");
    return [bad("signature", `It fits ${changes}.`, match.changes.map(({ fix }) => fix).join(" "))];
  }
  const fits = good("signature", `v1 is the HMAC-SHA256 of “<t>.<body>” by this secret.`);
  if (count < 2) return [fits];
  const rotation = "Two secrets sign, as for 24 hours after a rotation: a receiver must try every v1.";
  if (match.index === 0) return [fits, note("signature", `${rotation} This is the new one.`)];
  return [fits, note("signature", `${rotation} This is the previous one.`, "Deploy the new one in time.")];
}

/**
 * Finds what is wrong, or that nothing is. Undoes usual mistakes, up to one each of secret, body and signed text.
 * @throws TypeError without WebCrypto: outside https and localhost
 */
export async function diagnose(evidence: Evidence): Promise<Diagnosis> {
  const { body, receivedAt } = evidence;
  const text = typeof body === "string" ? body : new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  const header = readHeader(evidence.header);
  const { t, signatures } = header;
  const findings = [judgeSecret(evidence.secret), ...header.findings];
  if (t !== undefined && TIMESTAMP.test(t)) findings.push(judgeTime(t, receivedAt));
  const size = typeof body === "string" ? encode(body).length : body.length;
  findings.push(...judgeBody(text, size));
  const canTry = t !== undefined && signatures.length > 0 && bare(evidence.secret) !== "" && size > 0;
  const match = canTry ? await findMatch(evidence, { t, signatures }, text) : undefined;
  if (canTry) findings.push(...judgeMatch(match, signatures.length));
  const fits = match?.changes.length === 0;
  // A secret of another form that matches is still a secret.
  const judged = findings.map((found) =>
    fits && found.step === "secret" && found.state === "bad" ? { ...found, state: "note" as const } : found,
  );
  const wrong = new Set(judged.filter(({ state }) => state === "bad").map(({ step }) => step));
  if (!fits) return { verdict: "refused", findings: judged };
  if (wrong.size === 0) return { verdict: "valid", findings: judged };
  return { verdict: [...wrong].join() === "time" ? "stale" : "refused", findings: judged };
}
