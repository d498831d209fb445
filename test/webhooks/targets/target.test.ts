// Which URLs may be registered: refusals by rule, in each mode, and what must pass.
import { describe, expect, test } from "vitest";
import { ServiceError } from "#server/base/errors.ts";
import { checkWebhookUrl } from "#server/webhooks/targets/target.ts";
import { rulesOf } from "./rules.ts";

const PUBLIC = { WEBHOOK_TARGETS: "public", ALLOW_INSECURE_WEBHOOKS: false } as const;
const ANY = { WEBHOOK_TARGETS: "any", ALLOW_INSECURE_WEBHOOKS: true } as const;

function refusal(url: string, rules: typeof PUBLIC | typeof ANY): string | undefined {
  try {
    checkWebhookUrl(url, rulesOf(rules));
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

const NO_URL = [
  ...["", "hooks.example.com", "/hooks", "//hooks.example.com/", "https:", "https://", "https:///hooks.example.com"],
  ...["https:hooks.example.com", "https:/hooks.example.com", "ftp://hooks.example.com/", "file:///etc/passwd"],
  ...["javascript:alert(1)", "data:text/plain,x", "ws://hooks.example.com/", "gopher://hooks.example.com/"],
  ...["https://user:pass@hooks.example.com/", "https://user@hooks.example.com/", "https://@hooks.example.com/"],
  ...["https://hooks.example.com:0/", "https://hooks.example.com:65536/", "https://hooks.example.com:x/"],
  ...["https://hooks.example.com/\r\nX-Evil: 1", "https://hooks.example.com/\n", "https://hooks.\texample.com/"],
  ...[" https://hooks.example.com/", "https://hooks.example.com/a b", "https://hooks.example.com\\@10.0.0.1/"],
  ...["https://hooks.example.com/\0", "https://hooks.example.com/\u2028", "https://hooks\u3000.example.com/"],
  ...["https://a..example.com/", "https://-a.example.com/", "https://a-.example.com/", "https://.example.com/"],
  ...["https://hooks.example.com./", "https://hooks.exa%2Fmple.com/", "https://[::1/", "https://256.256.256.256/"],
  ...[`https://${"a".repeat(64)}.example.com/`, `https://${"a.".repeat(126)}example.com/`],
  `https://hooks.example.com/${"a".repeat(2_048)}`,
];

const NOT_PUBLIC = [
  ...["https://localhost/", "https://LOCALHOST/", "https://localhost:8443/x", "https://db.localhost/"],
  ...["https://printer.local/", "https://metadata.google.internal/", "https://nas.home.arpa/", "https://x.onion/"],
  ...["https://intranet/", "https://my_service/", "https://a_b.example.com/", "https://ⓛocalhost/"],
  ...["https://127.0.0.1/", "https://127.1/", "https://0x7f.1/", "https://0x7f000001/", "https://2130706433/"],
  ...["https://017700000001/", "https://0177.0.0.1/", "https://127.0.0.1./", "https://①②⑦.0.0.1/", "https://0/"],
  ...[
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://168.63.129.16/",
    "https://172.31.0.1/",
  ],
  ...["https://192.168.1.1/", "https://100.64.0.1/", "https://224.0.0.1/", "https://255.255.255.255/"],
  ...[
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[::127.0.0.1]/",
  ],
  ...["https://[64:ff9b::10.0.0.1]/", "https://[2002:7f00:1::]/", "https://[fd00:ec2::254]/", "https://[fe80::1]/"],
];

const FINE = [
  ...["https://hooks.example.com", "https://hooks.example.com/", "HTTPS://Hooks.Example.COM/Path"],
  ...[
    "https://hooks.example.com:8443/a/b?c=d&e=%20",
    "https://hooks.example.com/?email=a@b.example",
    "https://example.co",
  ],
  ...[
    "https://hooks.example.com/#part",
    "https://bücher.example/ä",
    "https://xn--bcher-kva.example/",
    "https://1.example.com/",
  ],
  ...[
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
    "https://localhost.example.com/",
    "https://internal.example.com/",
  ],
  `https://hooks.example.com/${"a".repeat(2_000)}`,
];

describe("refused in every mode", () => {
  test.each(NO_URL)("%j", (url) => {
    expect(refusal(url, PUBLIC)).toBe("invalid_webhook_url");
    expect(refusal(url, ANY)).toBe("invalid_webhook_url");
  });
});

describe("refused with WEBHOOK_TARGETS=public alone", () => {
  test.each(NOT_PUBLIC)("%j", (url) => expect(refusal(url, PUBLIC)).toBe("invalid_webhook_url"));
  test.each(["http://localhost:3000/", "http://127.0.0.1:80/", "http://[::1]:1/", "http://my_service:8080/hook"])(
    "%j passes with WEBHOOK_TARGETS=any",
    (url) => expect(refusal(url, ANY)).toBeUndefined(),
  );
});

describe("permitted in every mode, and given back as it was", () => {
  test.each(FINE)("%j", (url) => {
    expect(checkWebhookUrl(url, rulesOf(PUBLIC))).toBe(url);
    expect(checkWebhookUrl(url, rulesOf(ANY))).toBe(url);
  });
});

describe("http", () => {
  test("only with ALLOW_INSECURE_WEBHOOKS", () => {
    expect(refusal("http://hooks.example.com/", PUBLIC)).toBe("invalid_webhook_url");
    expect(refusal("http://hooks.example.com/", { ...PUBLIC, ALLOW_INSECURE_WEBHOOKS: true } as never)).toBeUndefined();
  });
});
