// verifyWebhook at a receiver: what it accepts, and every reason for which it refuses.
import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type SignatureSource, verifyWebhook, WebhookVerificationError } from "#client/verify-webhook.ts";

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

function reasonOf(header: SignatureSource, body: string | Uint8Array = BODY, secret = SECRET): string {
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

describe("finds the header", () => {
  const header = `t=${T},v1=${sign(T)}`;
  test.each<[string, SignatureSource]>([
    ["in Headers", new Headers({ "X-Service-Signature": header })],
    [
      "in the headers of a Request",
      new Request("http://a.example", { headers: { "x-service-signature": header } }).headers,
    ],
    ["in Node's headers", { host: "a.example", "x-service-signature": header, "set-cookie": ["a", "b"] }],
    ["in an object that kept the case", { "X-Service-Signature": header }],
    ["in several values", { "x-service-signature": [`t=${T}`, `v1=${sign(T)}`] }],
    ["as a list", [`t=${T}`, `v1=${sign(T)}`]],
  ])("%s", (_, source) => expect(reasonOf(source)).toBe("accepted"));

  test("of another service name", () => {
    const options = { now: NOW, headerName: "X-Acme-Signature" };
    for (const source of [new Headers({ "x-acme-signature": header }), { "x-acme-signature": header }]) {
      expect(() => verifyWebhook(BODY, source, SECRET, options)).not.toThrow();
      expect(reasonOf(source)).toBe("malformed_header");
    }
  });

  test.each<[string, SignatureSource]>([
    ["nothing", undefined],
    ["null", null],
    ["no headers", {}],
    ["other Headers", new Headers({ "x-service-event": header })],
    ["an empty list", []],
    ["the header twice, as a proxy's client could have it", { "x-service-signature": [header, header] }],
    ["the header in two cases", { "X-Service-Signature": header, "x-service-signature": header }],
  ])("refuses %s", (_, source) => expect(reasonOf(source)).toBe("malformed_header"));
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
    `t=${T}${`,v1=${sign(T)}`.repeat(10_000)}`,
    `t=${T}${",v1=".repeat(500)}`,
    `t=${T};v1=${sign(T)}`,
    `t=${T} v1=${sign(T)}`,
    `t = ${T},v1 = ${sign(T)}`,
    `T=${T},V1=${sign(T)}`,
    `t=${T},v1= ${sign(T)}`,
    `t=${T},v1="${sign(T)}"`,
    `t=${T},v1=0x${sign(T).slice(2)}`,
    `t=${T},v1=${sign(T).slice(1)}\u0660`,
    `t=${T},t=${T - 1},v1=${sign(T)}`,
    `t=${T},v1=${sign(T)},t`,
    "=".repeat(4_000),
    ",".repeat(4_096),
  ])("%j", (header) => expect(reasonOf(header)).toBe("malformed_header"));
});

test("takes a mismatch among many v1, and the right one wherever it stands", () => {
  const wrong = `v1=${"0".repeat(64)}`;
  for (const at of [0, 25, 49]) {
    const list = Array.from({ length: 50 }, (_, i) => (i === at ? `v1=${sign(T)}` : wrong));
    expect(reasonOf(`t=${T},${list.join(",")}`)).toBe("accepted");
  }
  expect(reasonOf(`t=${T},${Array(50).fill(wrong).join(",")}`)).toBe("signature_mismatch");
});

test("a clock or a tolerance that is no number refuses", () => {
  const header = `t=${T},v1=${sign(T)}`;
  const outside = expect.objectContaining({ reason: "timestamp_outside_tolerance" });
  expect(() => verifyWebhook(BODY, header, SECRET, { now: new Date(Number.NaN) })).toThrow(outside);
  expect(() => verifyWebhook(BODY, header, SECRET, { now: NOW, toleranceSeconds: Number.NaN })).toThrow(outside);
  const old = `t=${T - 1},v1=${sign(T - 1)}`;
  expect(() => verifyWebhook(BODY, old, SECRET, { now: NOW, toleranceSeconds: 0 })).toThrow(outside);
});

test("bytes count, not text: a body that is no UTF-8 is verified as it is", () => {
  const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
  expect(reasonOf(`t=${T},v1=${sign(T, bytes)}`, bytes)).toBe("accepted");
  expect(reasonOf(`t=${T},v1=${sign(T, bytes)}`, bytes.toString())).toBe("signature_mismatch");
  const view = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length - 1);
  expect(reasonOf(`t=${T},v1=${sign(T, bytes)}`, view)).toBe("signature_mismatch");
});

test("a body that was parsed already is a mistake of the caller", () => {
  for (const body of [JSON.parse(BODY), undefined, null, new ArrayBuffer(2)]) {
    expect(() => verifyWebhook(body as never, `t=${T},v1=${sign(T)}`, SECRET, { now: NOW })).toThrow(TypeError);
  }
});

test("refuses as malformed_body what is signed and not JSON", () => {
  expect(reasonOf(`t=${T},v1=${sign(T, "not json")}`, "not json")).toBe("malformed_body");
});

test("an empty secret is a mistake of the caller, not of the sender", () => {
  expect(() => verifyWebhook(BODY, `t=${T},v1=${sign(T, BODY, "")}`, "", { now: NOW })).toThrow(TypeError);
});
