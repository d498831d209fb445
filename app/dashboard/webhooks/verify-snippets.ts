// Code that verifies a delivery, for the page that shows a secret. Its functions are exactly those of
// examples/webhooks, which have tests; test/app/verify-snippets.test.ts compares them.

const NAME = /X-Service-/g;

/** Of examples/webhooks/next-route.ts. */
const TYPESCRIPT = `import { verifyWebhook, WebhookVerificationError } from "@mailberth/client";

export async function POST(request: Request): Promise<Response> {
  const rawBody = await request.text(); // not request.json(): the signature is over the bytes
  try {
    const event = verifyWebhook(rawBody, request.headers, process.env.WEBHOOK_SECRET ?? "");
    console.log(\`received \${event.message.id} for \${event.inbox}\`); // put on your queue; work that takes long comes later
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return new Response(error.reason, { status: 400 });
  }
}`;

/** Of examples/webhooks/receiver.py. */
const PYTHON = `import hashlib
import hmac
import os
import re
import time

SECRET = os.environ["WEBHOOK_SECRET"].encode()
assert SECRET, "an empty secret would verify what anybody signs"


# header: the value of X-Service-Signature
def is_genuine(raw_body: bytes, header: str) -> bool:
    """header: t=<seconds>,v1=<hex>, with two v1 while the secret is rotated"""
    parts = [part.strip().partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    if len(times) != 1 or not re.fullmatch("[0-9]{1,15}", times[0]):
        return False
    if abs(int(time.time()) - int(times[0])) > 300:
        return False
    expected = hmac.new(SECRET, times[0].encode() + b"." + raw_body, hashlib.sha256).hexdigest().encode()
    return any(hmac.compare_digest(value.encode(), expected) for name, _, value in parts if name == "v1")`;

/** Of examples/webhooks/receiver.go. */
const GO = `const window = 300 // seconds, either way

// os.Getenv("WEBHOOK_SECRET"); refuse to start when it is empty.
var secret []byte

// The header is the value of X-Service-Signature.
// isGenuine takes t=<seconds>,v1=<hex> as header, with two v1 while the secret is rotated.
func isGenuine(rawBody []byte, header string) bool {
	var times []string
	var signatures [][]byte
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if name == "t" {
			times = append(times, value)
		} else if signature, err := hex.DecodeString(value); name == "v1" && err == nil {
			signatures = append(signatures, signature)
		}
	}
	if len(times) != 1 {
		return false
	}
	t, err := strconv.ParseUint(times[0], 10, 48)
	age := time.Now().Unix() - int64(t)
	if err != nil || age > window || age < -window {
		return false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(times[0] + "."))
	mac.Write(rawBody)
	expected := mac.Sum(nil)
	for _, signature := range signatures {
		if hmac.Equal(signature, expected) {
			return true
		}
	}
	return false
}`;

type Sample = { label: string; code: string };

/** @param serviceName the operator's `SERVICE_NAME`, which is in the header names */
export function verifySnippets(serviceName: string): [Sample, ...Sample[]] {
  const headers = `X-${serviceName}-`;
  const typescript =
    serviceName === "Service"
      ? TYPESCRIPT
      : TYPESCRIPT.replace(
          'process.env.WEBHOOK_SECRET ?? "")',
          `process.env.WEBHOOK_SECRET ?? "", {\n      headerName: "${headers}Signature",\n    })`,
        );
  return [
    { label: "TypeScript", code: typescript },
    { label: "Python", code: PYTHON.replace(NAME, headers) },
    { label: "Go", code: GO.replace(NAME, headers) },
  ];
}
