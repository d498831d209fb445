// verifyWebhook at a receiver: what it accepts, and every reason for which it refuses.
import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { verifyWebhook, WebhookVerificationError } from "#client/verify-webhook.ts";

const SECRET = "whsec_c2VjcmV0IG9mIGEgdGVzdA";
const NOW = new Date("2026-01-31T12:00:00.500Z");
const T = Math.floor(NOW.getTime() / 1000);
const BODY = JSON.stringify({
  event: "message.received",
  inbox: "quiet-otter@mail.example",
  message: {
    id: "msg_1",
    thread_id: "thr_1",
    from: "ann@example.com",
    subject: "Grüße",
    received_at: "2026-01-31T11:59:59.000Z",
  },
});

// The formula of the specification, written out again.
function sign(t: string | number, body: string | Uint8Array = BODY, secret = SECRET): string {
  return createHmac("sha256", secret).update(`${t}.`).update(body).digest("hex");
}

function reasonOf(header: string, body: string | Uint8Array = BODY, secret = SECRET): string {
  try {
    verifyWebhook(body, header, secret, { now: NOW });
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    throw error;
  }
  return "accepted";
}

describe("accepts", () => {
  test("a fresh delivery, as text and as bytes, and gives its event", () => {
    const header = `t=${T},v1=${sign(T)}`;
    const event = verifyWebhook(BODY, header, SECRET, { now: NOW });
    expect(event).toEqual(JSON.parse(BODY));
    expect(event.message.subject).toBe("Grüße");
    expect(verifyWebhook(Buffer.from(BODY), header, SECRET, { now: NOW })).toEqual(event);
    expect(verifyWebhook(new TextEncoder().encode(BODY), header, SECRET, { now: NOW })).toEqual(event);
  });

  test.each([
    ["one of several v1", `t=${T},v1=${"0".repeat(64)},v1=${sign(T)}`],
    ["the v1 before the t", `v1=${sign(T)},t=${T}`],
    ["spaces after commas", `t=${T}, v1=${sign(T)}`],
    ["names of other schemes", `t=${T},v0=abc,v1=${sign(T)},v2=xyz`],
    ["capital hex digits", `t=${T},v1=${sign(T).toUpperCase()}`],
    ["300 s ago", `t=${T - 300},v1=${sign(T - 300)}`],
    ["300 s ahead", `t=${T + 300},v1=${sign(T + 300)}`],
  ])("%s", (_, header) => expect(reasonOf(header)).toBe("accepted"));

  test("another tolerance", () => {
    const header = `t=${T - 900},v1=${sign(T - 900)}`;
    expect(() => verifyWebhook(BODY, header, SECRET, { now: NOW, toleranceSeconds: 900 })).not.toThrow();
  });
});

describe("refuses as timestamp_outside_tolerance", () => {
  test.each([-301, 301, -86_400, 86_400])("%i s away", (seconds) => {
    expect(reasonOf(`t=${T + seconds},v1=${sign(T + seconds)}`)).toBe("timestamp_outside_tolerance");
  });
});

describe("refuses as signature_mismatch", () => {
  const header = `t=${T},v1=${sign(T)}`;
  test("a changed body", () => expect(reasonOf(header, `${BODY} `)).toBe("signature_mismatch"));
  test("another secret", () => expect(reasonOf(header, BODY, "whsec_other")).toBe("signature_mismatch"));
  test("another t", () => expect(reasonOf(`t=${T + 1},v1=${sign(T)}`)).toBe("signature_mismatch"));
  test("a serialized copy", () =>
    expect(reasonOf(header, JSON.stringify(JSON.parse(BODY), null, 1))).toBe("signature_mismatch"));
});

describe("refuses as malformed_header", () => {
  test.each([
    "",
    "garbage",
    `t=${T}`,
    `v1=${sign(T)}`,
    `t=,v1=${sign("")}`,
    `t=${T},t=${T},v1=${sign(T)}`,
    `t=${T},v1=`,
    `t=${T},v1=${sign(T).slice(1)}`,
    `t=${T},v1=${sign(T)}00`,
    `t=${T},v1=${sign(T).replace(/^./, "g")}`,
    `t=${T},v1=${sign(T)},v1=short`,
    ...["1e9", `${T}.0`, `+${T}`, `0${T}`, ` ${T}`, `-${T}`, "NaN", `0x${T.toString(16)}`, "9".repeat(20)].map(
      (t) => `t=${t},v1=${sign(t)}`,
    ),
    `t=${T},v1=${sign(T)},${"x=y,".repeat(2_000)}`,
  ])("%j", (header) => expect(reasonOf(header)).toBe("malformed_header"));
});

test("refuses as malformed_body what is signed and not JSON", () => {
  expect(reasonOf(`t=${T},v1=${sign(T, "not json")}`, "not json")).toBe("malformed_body");
});

test("an empty secret is a mistake of the caller, not of the sender", () => {
  expect(() => verifyWebhook(BODY, `t=${T},v1=${sign(T, BODY, "")}`, "", { now: NOW })).toThrow(TypeError);
});
