// The signature debugger's reasoning: every fault is made from a delivery that the service's own code, or npm `stripe`, signed.
import { createHmac } from "node:crypto";
import Stripe from "stripe";
import { describe, expect, test } from "vitest";
import { verifyWebhook } from "#client/verify-webhook.ts";
import { newSigningSecret } from "#server/base/secrets.ts";
import { signatureHeader } from "#server/webhooks/delivery/sign.ts";
import { diagnose, type Step } from "../../app/dashboard/webhooks/debugger/signature-diagnosis.ts";
import type { Evidence } from "../../app/dashboard/webhooks/debugger/signature-guesses.ts";

const [SECRET, PREVIOUS] = [newSigningSecret(), newSigningSecret()];
const RECEIVED_AT = new Date("2026-11-20T09:30:04.000Z");
const T = RECEIVED_AT.getTime() / 1_000 - 4;
const EVENT = {
  event: "message.received",
  inbox: "quiet-otter@mail.example",
  message: {
    id: "msg_01jd3m9v5sf0b8j3mgz7qk2x4c",
    thread_id: "thr_01jd3m9v5sf0b8j3mgz7qk2x4c",
    from: "Ann <ann@else.example>",
    subject: "Grüße & <b>",
    received_at: "2026-11-20T09:30:00.000Z",
  },
};
const BODY = JSON.stringify(EVENT);
const HEADER = signatureHeader([SECRET], T, BODY);
const SIGNATURE = HEADER.split("v1=")[1] ?? "";
const GENUINE: Evidence = { secret: SECRET, header: HEADER, body: BODY, receivedAt: RECEIVED_AT };

const stripe = (secret: string, payload = BODY) =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: T });
const v1 = (key: string | Buffer, text: string) => `t=${T},v1=${createHmac("sha256", key).update(text).digest("hex")}`;
const signedAt = (t: number) => ({ header: signatureHeader([SECRET], t, BODY) });
const after = (body: string) => ({ header: signatureHeader([SECRET], T, body) });
const asText = ({ secret, header, body, receivedAt }: Evidence) =>
  verifyWebhook(body, header, secret, { now: receivedAt });

/** `json.dumps(event, sort_keys=True)` of Python: other spaces, other order, only ASCII. */
const PYTHON =
  '{"event": "message.received", "inbox": "quiet-otter@mail.example", "message": {"from": "Ann <ann@else.example>", "id": "msg_01jd3m9v5sf0b8j3mgz7qk2x4c", "received_at": "2026-11-20T09:30:00.000Z", "subject": "Gr\\u00fc\\u00dfe & <b>", "thread_id": "thr_01jd3m9v5sf0b8j3mgz7qk2x4c"}}';
/** `json.Marshal` of Go, from a map. */
const GO = PYTHON.replaceAll('": ', '":')
  .replaceAll(', "', ',"')
  .replaceAll("\\u00fc\\u00df", "üß")
  .replaceAll("<", "\\u003c")
  .replaceAll(">", "\\u003e")
  .replaceAll("&", "\\u0026");

describe("a genuine delivery", () => {
  test.each<[string, Partial<Evidence>]>([
    ["as the service signs it", {}],
    ["as stripe signs it", { header: stripe(SECRET) }],
    ["as bytes", { body: new TextEncoder().encode(BODY) }],
    ["with spaces after commas", { header: HEADER.replace(",", ", ") }],
    ["with capital digits", { header: HEADER.replace(SIGNATURE, SIGNATURE.toUpperCase()) }],
    ["at the edge of the window", signedAt(T + 4 - 300)],
    ["with a secret of another form", { secret: "whsec_test", header: stripe("whsec_test") }],
  ])("%s is valid", async (_, change) => {
    const evidence = { ...GENUINE, ...change };
    expect(asText(evidence)).toEqual(EVENT);
    const { verdict, findings } = await diagnose(evidence);
    expect(findings.filter(({ state }) => state === "bad")).toEqual([]);
    expect(verdict).toBe("valid");
  });

  test.each([
    ["the new secret", SECRET, "This is the new one."],
    ["the previous secret", PREVIOUS, "This is the previous one."],
  ])("of a rotation is valid with %s, and it says which that is", async (_, secret, words) => {
    const header = signatureHeader([SECRET, PREVIOUS], T, BODY);
    const { verdict, findings } = await diagnose({ ...GENUINE, header, secret });
    expect(verdict).toBe("valid");
    expect(findings).toContainEqual(
      expect.objectContaining({ step: "signature", text: expect.stringContaining(words) }),
    );
  });
});

type Fault = [name: string, step: Step, change: Partial<Evidence>, words: RegExp];
const faults: Fault[] = [
  ["no secret", "secret", { secret: "" }, /no secret/],
  ["a webhook's id as secret", "secret", { secret: "whk_01jd3m9v5sf0b8j3mgz7qk2x4c" }, /id of a webhook/],
  ["a key as secret", "secret", { secret: "mb_live_0123456789" }, /key of the service/],
  ["a secret cut off", "secret", { secret: SECRET.slice(0, -3) }, /come 41 characters/],
  ["a masked secret", "secret", { secret: `${SECRET.slice(0, 12)}••••` }, /characters that the service never uses/],
  ["a secret with a newline", "secret", { secret: `${SECRET}\n` }, /white space or quotes/],
  ["and what fits", "signature", { secret: `"${SECRET}"` }, /without the white space or quotes/],
  ["a secret without its prefix", "secret", { secret: SECRET.slice(6) }, /does not start with whsec_/],
  ["and what fits", "signature", { secret: SECRET.slice(6) }, /with whsec_ once/],
  ["a secret with its prefix twice", "signature", { secret: `whsec_${SECRET}` }, /with whsec_ once/],
  ["signed without the prefix", "signature", { header: stripe(SECRET.slice(6)) }, /without its whsec_/],
  [
    "signed with the secret decoded",
    "signature",
    { header: v1(Buffer.from(SECRET.slice(6), "base64url"), `${T}.${BODY}`) },
    /decoded from base64/,
  ],
  ["the secret before a rotation", "signature", { secret: PREVIOUS }, /No v1 matches/],
  ["and the other one given", "signature", { secret: PREVIOUS, otherSecret: SECRET }, /with the other secret/],
  ["no header", "header", { header: " " }, /no signature header/],
  ["an endless header", "header", { header: `${HEADER},${"v0=0,".repeat(1_000)}` }, /a receiver reads 4096/],
  ["no t", "header", { header: `v1=${SIGNATURE}` }, /no t,/],
  ["two t", "header", { header: `t=${T},${HEADER}` }, /2 t/],
  ["a t that is no number", "header", { header: HEADER.replace(`t=${T}`, "t=2026-11-20") }, /whole seconds/],
  ["no v1", "header", { header: `t=${T},v0=${SIGNATURE}` }, /no v1, only v0/],
  ["another scheme", "header", { header: `sha256=${SIGNATURE}` }, /no v1, only sha256/],
  ["a v1 cut off", "header", { header: HEADER.slice(0, -4) }, /60 digits instead of 64/],
  [
    "a v1 in base64",
    "header",
    { header: `t=${T},v1=${Buffer.from(SIGNATURE, "hex").toString("base64")}` },
    /not hexadecimal/,
  ],
  ["parts without a comma", "header", { header: HEADER.replace(",", "; ") }, /not separated by commas/],
  ["t in milliseconds", "time", signedAt(T * 1_000), /in milliseconds/],
  ["signed too long ago", "time", signedAt(T - 3_600), /55 min 4 s outside the 5 minutes/],
  ["signed ahead of the clock", "time", signedAt(T + 304 + 1), /after the time of receipt: 1 s outside/],
  ["no body", "body", { body: "" }, /no body/],
  ["a newline after the body", "signature", { body: `${BODY}\n` }, /without the newline at the end/],
  ["a newline that was signed", "signature", after(`${BODY}\n`), /with a newline at the end/],
  ["white space around the body", "signature", { body: `  ${BODY} \t` }, /without the white space around/],
  ["a byte order mark", "signature", { body: `\uFEFF${BODY}` }, /without the byte order mark/],
  [
    "CRLF in the body",
    "signature",
    { ...after(JSON.stringify(EVENT, null, 2)), body: JSON.stringify(EVENT, null, 2).replaceAll("\n", "\r\n") },
    /LF instead of CRLF/,
  ],
  ["CRLF that became LF", "signature", { ...after("first\r\nsecond"), body: "first\nsecond" }, /CRLF instead of LF/],
  ["JSON indented by two", "signature", { body: JSON.stringify(EVENT, null, 2) }, /with compact JSON\./],
  ["JSON indented by tabs", "signature", { body: JSON.stringify(EVENT, null, "\t") }, /with compact JSON\./],
  ["JSON written by Python", "signature", { body: PYTHON }, /compact JSON, its fields in the service's order/],
  ["JSON written by Go", "signature", { body: GO }, /compact JSON, its fields in the service's order/],
  ["JSON within JSON", "signature", { body: JSON.stringify(BODY) }, /out of its JSON string/],
  ["indented JSON that was signed", "signature", after(JSON.stringify(EVENT, null, 4)), /indented by four spaces/],
  ["UTF-8 read as Latin-1", "signature", { body: Buffer.from(BODY).toString("latin1") }, /read as Latin-1/],
  ["letters decomposed", "signature", { body: BODY.normalize("NFD") }, /composed letters/],
  ["a body in base64", "signature", { body: Buffer.from(BODY).toString("base64") }, /body decoded from base64/],
  ["signed without t", "signature", { header: v1(SECRET, BODY) }, /body alone/],
  ["a word changed", "signature", { body: BODY.replace("Ann", "Bob") }, /No v1 matches/],
  [
    "two mistakes",
    "signature",
    { body: JSON.stringify(EVENT, null, 2), secret: SECRET.slice(6) },
    /with whsec_ once before the secret, and with compact JSON/,
  ],
];

describe("a fault", () => {
  test.each(faults)("%s: reported at the step %s", async (_, step, change, words) => {
    const evidence = { ...GENUINE, ...change };
    expect(() => asText(evidence)).toThrow();
    const { verdict, findings } = await diagnose(evidence);
    expect(verdict).toBe(step === "time" ? "stale" : "refused");
    const told = findings.filter((found) => found.step === step && found.state === "bad").map(({ text }) => text);
    expect(told.join(" ")).toMatch(words);
  });
});

describe("what is worth knowing", () => {
  test.each<[string, Partial<Evidence>, RegExp]>([
    ["the body's length", {}, new RegExp(`${Buffer.byteLength(BODY)} bytes, ${BODY.length} characters`)],
    ["how it ends", { body: `${BODY}\r\n` }, /ends with a newline, has CRLF line ends/],
    ["that it is cut off", { body: BODY.slice(0, -20) }, /not JSON/],
    ["that it is another JSON", { body: "{}" }, /not a delivery/],
    ["that bytes were lost", { body: BODY.replace("ü", "\uFFFD") }, /replacement characters/],
    ["that the header's name was pasted along", { header: `X-Service-Signature: ${HEADER}` }, /the header's name/],
  ])("%s", async (_, change, words) => {
    const { findings } = await diagnose({ ...GENUINE, ...change });
    const notes = findings.filter(({ state }) => state === "note").map(({ text }) => text);
    expect(notes.join(" ")).toMatch(words);
  });
});
