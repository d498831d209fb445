// The facilitator over HTTP: POST /verify and /settle, GET /supported. The body has the result; the status code does
// not.
import { createPrivateKey, type KeyObject, randomBytes, sign } from "node:crypto";
import { Agent } from "undici";
import { z } from "zod";
import type { Facilitator, PaymentRequest, SettleOutcome, VerifyOutcome } from "../base/ports/facilitator.ts";

const SUPPORTED_TIMEOUT_MS = 10_000;
const VERIFY_TIMEOUT_MS = 10_000;
/** Facilitators wait for the transaction to be mined. */
const SETTLE_TIMEOUT_MS = 15_000;
const BODY_MAX_BYTES = 262_144;
const CONNECTIONS = 64;
const REASON_CHARS = 100;
const SERVER_ERROR = 500;
const TOKEN_LIVES_SECONDS = 120;
const ED25519_BYTES = 64;
const SEED_BYTES = 32;
const NONCE_BYTES = 16;

/** Reasons that guarantee that nothing is sent to the chain. Any other reason means an unknown result. */
const REJECTIONS = new Set(
  `insufficient_funds invalid_exact_evm_insufficient_balance
   invalid_network invalid_payload invalid_payment invalid_payment_requirements invalid_scheme unsupported_scheme
   invalid_x402_version unsupported_payload_type invalid_exact_evm_scheme invalid_exact_evm_network_mismatch
   invalid_exact_evm_payload_signature invalid_exact_evm_signature invalid_exact_evm_failed_to_parse_signature
   invalid_exact_evm_payload_undeployed_smart_wallet invalid_exact_evm_payload_recipient_mismatch
   invalid_exact_evm_recipient_mismatch invalid_exact_evm_payload_authorization_value invalid_exact_evm_authorization_value
   invalid_exact_evm_payload_authorization_value_mismatch invalid_exact_evm_payload_authorization_valid_after
   invalid_exact_evm_payload_authorization_valid_before invalid_exact_evm_token_name_mismatch
   invalid_exact_evm_token_version_mismatch invalid_exact_evm_missing_eip712_domain
   invalid_exact_evm_eip3009_not_supported`.split(/\s+/),
);

const verified = z.object({ isValid: z.boolean(), invalidReason: z.string().nullish() });
const settled = z.object({ success: z.boolean(), errorReason: z.string().nullish() });
const supported = z.object({ kinds: z.array(z.looseObject({ scheme: z.string(), network: z.string() })) });

type Options = { url: string; now: () => Date; cdp?: { keyId: string; secret: string } | undefined };
type Reply = { status: number; body: unknown } | { failed: string };

type Ask = { method: "GET" | "POST"; path: string; timeoutMs: number; json?: PaymentRequest };
type Service = {
  agent: Agent;
  cdp: { keyId: string; key: ReturnType<typeof readKey> } | undefined;
  base: URL;
  prefix: string;
  now: () => Date;
};

/** @param options `url` without a slash at the end; `cdp`: every request gets its own token (docs.cdp.coinbase.com) */
export function httpFacilitator(options: Options): Facilitator {
  const agent = new Agent({ connections: CONNECTIONS });
  const cdp = options.cdp && { keyId: options.cdp.keyId, key: readKey(options.cdp.secret) };
  const base = new URL(options.url.replace(/\/+$/, ""));
  const prefix = base.pathname === "/" ? "" : base.pathname;
  const ask = (request: Ask) => send({ agent, cdp, base, prefix, now: options.now }, request);

  return {
    async supports(names) {
      const reply = await ask({ method: "GET", path: "/supported", timeoutMs: SUPPORTED_TIMEOUT_MS });
      const read = "failed" in reply ? undefined : supported.safeParse(reply.body);
      if (!read?.success) return undefined;
      return read.data.kinds.some(({ scheme, network }) => scheme === "exact" && names.includes(network));
    },
    async verify(request) {
      return verifyOutcome(await ask({ method: "POST", path: "/verify", timeoutMs: VERIFY_TIMEOUT_MS, json: request }));
    },
    async settle(request) {
      return settleOutcome(await ask({ method: "POST", path: "/settle", timeoutMs: SETTLE_TIMEOUT_MS, json: request }));
    },
    close: () => agent.destroy(),
  };
}

async function send(
  { agent, cdp, base, prefix, now }: Service,
  { method, path, timeoutMs, json }: Ask,
): Promise<Reply> {
  try {
    const answer = await agent.request({
      origin: base.origin,
      path: `${prefix}${path}${base.search}`,
      method,
      headers: {
        Accept: "application/json",
        ...(json && { "Content-Type": "application/json" }),
        ...(cdp && {
          Authorization: `Bearer ${cdpToken(cdp, `${method} ${base.host}${prefix}${path}`, now())}`,
        }),
      },
      body: json ? JSON.stringify(json) : null,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await readBounded(answer.body);
    return { status: answer.statusCode, body: parse(text) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return {
      failed: `no answer: ${code ?? (error instanceof Error ? error.name : "failed")}`.slice(0, REASON_CHARS),
    };
  }
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) throw new RangeError("the answer is too large"); // ends the loop, which destroys the body
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // probably the error page of a proxy
  }
}

function verifyOutcome(reply: Reply): VerifyOutcome {
  if ("failed" in reply) return { outcome: "unknown", reason: reply.failed };
  const read = verified.safeParse(reply.body);
  if (!read.success) return { outcome: "unknown", reason: `an answer that does not say (${reply.status})` };
  if (read.data.isValid) return { outcome: "valid" };
  const reason = word(read.data.invalidReason);
  return { outcome: reply.status >= SERVER_ERROR ? "unknown" : "invalid", reason };
}

function settleOutcome(reply: Reply): SettleOutcome {
  if ("failed" in reply) return { outcome: "unknown", reason: reply.failed };
  const read = settled.safeParse(reply.body);
  if (!read.success) return { outcome: "unknown", reason: `an answer that does not say (${reply.status})` };
  if (read.data.success) return { outcome: "settled" };
  const reason = word(read.data.errorReason);
  return { outcome: reply.status < SERVER_ERROR && REJECTIONS.has(reason) ? "rejected" : "unknown", reason };
}

/** Reduces a reason to characters that are safe to show and log. */
function word(text: string | null | undefined): string {
  return text && /^[\w .:-]+$/.test(text) ? text.slice(0, REASON_CHARS) : "no reason given";
}

/**
 * The bearer token of the Coinbase Developer Platform: a JWT for one request, signed with an Ed25519 or a P-256 key.
 * @param uri the request it is valid for: `POST api.cdp.coinbase.com/platform/v2/x402/verify`
 */
function cdpToken({ keyId, key }: { keyId: string; key: KeyObject }, uri: string, now: Date): string {
  const edwards = key.asymmetricKeyType === "ed25519";
  const seconds = Math.floor(now.getTime() / 1000);
  const nonce = randomBytes(NONCE_BYTES).toString("hex");
  const header = { alg: edwards ? "EdDSA" : "ES256", kid: keyId, typ: "JWT", nonce };
  const claims = {
    sub: keyId,
    iss: "cdp",
    nbf: seconds,
    iat: seconds,
    exp: seconds + TOKEN_LIVES_SECONDS,
    uris: [uri],
  };
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const signature = sign(edwards ? null : "sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" });
  return `${text}.${signature.toString("base64url")}`;
}

/** PEM of a P-256 key, or base64 of an Ed25519 seed and its public key (64 bytes). */
function readKey(secret: string): KeyObject {
  // PEM text in one line, as environment variables hold it.
  if (secret.startsWith("-----BEGIN")) return createPrivateKey(secret.replaceAll("\\n", "\n"));
  const bytes = Buffer.from(secret, "base64");
  if (bytes.length !== ED25519_BYTES) throw new Error("CDP_API_KEY_SECRET is neither PEM nor 64 bytes in base64");
  const [d, x] = [bytes.subarray(0, SEED_BYTES), bytes.subarray(SEED_BYTES)].map((part) => part.toString("base64url"));
  return createPrivateKey({ key: { kty: "OKP", crv: "Ed25519", d, x }, format: "jwk" });
}
