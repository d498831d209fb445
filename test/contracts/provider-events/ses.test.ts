// Events of Amazon SES by SNS, signed by a certificate of the test's own.
import { createSign } from "node:crypto";
import { generate } from "selfsigned";
import { expect, test } from "vitest";
import { sesEvents } from "#server/adapters/ses-events.ts";
import { changed, type How, type Kind, type Posted, providerEventsContract, type Taken } from "./contract.ts";
import { startRelay } from "./relay.ts";

const TOPIC = "arn:aws:sns:eu-west-1:123456789012:mail";
const HOST = "https://sns.eu-west-1.amazonaws.com";
const certificateUrl = (digit: string, host = HOST) => `${host}/SimpleNotificationService-${digit.repeat(32)}.pem`;
const OWN = certificateUrl("a");
const NEXT = certificateUrl("e");
const DAY_MS = 86_400_000;

const certificate = (commonName: string, days = 1) =>
  generate([{ name: "commonName", value: commonName }], {
    keySize: 2048,
    algorithm: "sha256",
    notBeforeDate: new Date(Date.now() + (days - 2) * DAY_MS),
    notAfterDate: new Date(Date.now() + days * DAY_MS),
  });
const [own, next, foreign, expired] = await Promise.all([
  certificate("sns.amazonaws.com"),
  certificate("sns.amazonaws.com"),
  certificate("sns.amazonaws.com.evil.example"),
  certificate("sns.eu-west-1.amazonaws.com", -1),
]);
/** All that Amazon answers. */
const AMAZON: Record<string, string> = {
  [OWN]: own.cert,
  [NEXT]: next.cert,
  [certificateUrl("b")]: foreign.cert,
  [certificateUrl("c")]: expired.cert,
};

function startAmazon() {
  const asked: string[] = [];
  const get = async (url: URL) => {
    asked.push(url.href);
    const text = AMAZON[url.href];
    if (url.searchParams.get("Action") === "ConfirmSubscription") return { status: 200, text: "<ok/>" };
    return text === undefined ? { status: 404, text: "" } : { status: 200, text };
  };
  return { asked, get };
}

type Envelope = Record<string, string>;

function signed(fields: Envelope, key = own.private, url = OWN): Posted {
  const version = fields.SignatureVersion ?? "2";
  const all: Envelope = { TopicArn: TOPIC, Timestamp: new Date().toISOString(), SignatureVersion: version, ...fields };
  const names =
    all.Type === "Notification"
      ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
      : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
  const text = names.flatMap((name) => (all[name] === undefined ? [] : `${name}\n${all[name]}\n`)).join("");
  const signer = createSign(version === "1" ? "RSA-SHA1" : "RSA-SHA256").update(text);
  const body = JSON.stringify({ ...all, Signature: signer.sign(key, "base64"), SigningCertURL: url });
  return { body, headers: { "Content-Type": "text/plain; charset=UTF-8", "x-amz-sns-message-type": all.Type ?? "" } };
}

function contentOf(kind: Kind, to: string, timestamp: Date): object {
  const failed = (status: string, diagnosticCode: string) => [
    { emailAddress: to, action: "failed", status, diagnosticCode },
  ];
  switch (kind) {
    case "delivered":
      return { notificationType: "Delivery", delivery: { timestamp, recipients: [to], smtpResponse: "250 ok" } };
    case "hard": {
      const bouncedRecipients = failed("5.1.1", "smtp; 550 5.1.1 user unknown");
      return {
        eventType: "Bounce",
        bounce: { bounceType: "Permanent", bounceSubType: "General", bouncedRecipients, timestamp },
      };
    }
    case "soft": {
      const bouncedRecipients = failed("5.2.2", "smtp; 552 5.2.2 mailbox full");
      const bounce = { bounceType: "Transient", bounceSubType: "MailboxFull", bouncedRecipients, timestamp };
      return { notificationType: "Bounce", bounce };
    }
    case "complained": {
      const complaint = { complainedRecipients: [{ emailAddress: to }], complaintFeedbackType: "abuse", timestamp };
      return { notificationType: "Complaint", complaint };
    }
    case "failed":
      return { eventType: "Reject", reject: { reason: "Bad content" } };
    case "delayed": {
      const delayedRecipients = [
        { emailAddress: to, status: "4.4.1", diagnosticCode: "smtp; 421 4.4.1 unable to connect" },
      ];
      return {
        eventType: "DeliveryDelay",
        deliveryDelay: { delayType: "TransientCommunicationFailure", delayedRecipients, timestamp },
      };
    }
    default:
      return { eventType: "Send", send: {} };
  }
}

function report(kind: Kind, { to, returnPath, messageId }: Taken, { id, at, isNewKey }: How): Posted {
  // Without the original headers, only the envelope sender is of this service.
  const headers = kind === "complained" ? [{ name: "Message-ID", value: `<${messageId}>` }] : undefined;
  const source = headers ? "x@mail.example" : returnPath;
  const mail = { timestamp: at, messageId: `0102-${id}`, source, destination: [to], headers };
  const version = kind === "hard" ? "1" : "2";
  const Message = JSON.stringify({ ...contentOf(kind, to, at), mail });
  const notification = { Type: "Notification", MessageId: id, Message, SignatureVersion: version };
  return isNewKey ? signed(notification, next.private, NEXT) : signed(notification);
}

const amazon = startAmazon();

providerEventsContract("ses", async () => {
  const relay = await startRelay();
  return {
    name: "ses",
    settings: { ...relay.settings, SES_TOPIC_ARNS: `${TOPIC},arn:aws:sns:us-east-1:123456789012:other` },
    options: { snsGet: amazon.get },
    kinds: ["delivered", "hard", "soft", "complained", "failed", "delayed", "other"],
    report,
    forge({ body, headers }, nth) {
      const { SigningCertURL: _, ...sent } = JSON.parse(body);
      const again = (change: Envelope) => JSON.stringify({ SigningCertURL: OWN, ...sent, ...change });
      const bodies = [
        again({ Message: `${sent.Message} ` }),
        again({ MessageId: changed(sent.MessageId, nth) }),
        again({ Subject: "x" }),
        again({ SignatureVersion: sent.SignatureVersion === "1" ? "2" : "1" }),
        again({ Signature: "" }),
        again({ TopicArn: "arn:aws:sns:us-east-1:123456789012:other" }),
        signed({ ...sent, TopicArn: "arn:aws:sns:eu-west-1:999999999999:mail" }).body,
        signed(sent, foreign.private).body,
        signed(sent, own.private, `https://evil.example/SimpleNotificationService-${"a".repeat(32)}.pem`).body,
        signed(sent, own.private, certificateUrl("a", "https://sns.us-east-1.amazonaws.com")).body,
        changed(body, nth),
      ];
      return { headers, body: bodies[nth % bodies.length] as string };
    },
    taken: relay.taken,
    close: relay.close,
  };
});

test("one certificate is fetched once, and nothing for a forged address", () => {
  expect(new Set(amazon.asked)).toEqual(new Set([OWN, NEXT]));
  expect(amazon.asked.length).toBeLessThan(25);
});

const NOTIFIED = { Type: "Notification", MessageId: "m-1", Message: JSON.stringify({ eventType: "Send" }) };

test.each([
  ["of another name", "b", foreign.private],
  ["that has expired", "c", expired.private],
  ["that Amazon does not have", "d", own.private],
])("a certificate %s counts for nothing", async (_, digit, key) => {
  const { read } = sesEvents({ topics: [TOPIC], get: startAmazon().get, now: () => new Date() });
  expect(await read(Buffer.from(signed(NOTIFIED, key, certificateUrl(digit)).body), {})).toBeUndefined();
});

test.each([
  "https://sns.eu-west-1.amazonaws.com.evil.example/SimpleNotificationService-",
  "https://evil.example/sns.eu-west-1.amazonaws.com/SimpleNotificationService-",
  "https://sns.eu-west-1.amazonaws.com:444/SimpleNotificationService-",
  "https://x@sns.eu-west-1.amazonaws.com/SimpleNotificationService-",
  "http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-",
  "https://sns.eu-west-1.amazonaws.com/x/../SimpleNotificationService-",
  "https://s3.eu-west-1.amazonaws.com/SimpleNotificationService-",
])("no certificate is fetched from %s", async (start) => {
  const { asked, get } = startAmazon();
  const { read } = sesEvents({ topics: [TOPIC], get, now: () => new Date() });
  const posted = signed(NOTIFIED, own.private, `${start}${"a".repeat(32)}.pem`);
  expect([await read(Buffer.from(posted.body), {}), asked]).toEqual([undefined, []]);
});

test("a text that is no certificate counts for nothing", async () => {
  const get = async () => ({ status: 200, text: "<html>Sign in to this network</html>" });
  const { read } = sesEvents({ topics: [TOPIC], get, now: () => new Date() });
  expect(await read(Buffer.from(signed(NOTIFIED).body), {})).toBeUndefined();
});

test.each([
  ["does not answer", async () => Promise.reject(new Error("connect ETIMEDOUT")), /sns\.eu-west-1.*ETIMEDOUT/],
  ["is overloaded", async () => ({ status: 503, text: "" }), /503/],
])("when Amazon %s, the event may come later, and the log gets the reason", async (_, get, later) => {
  const { read } = sesEvents({ topics: [TOPIC], get, now: () => new Date() });
  expect(await read(Buffer.from(signed(NOTIFIED).body), {})).toEqual({ later: expect.stringMatching(later) });
});

test("asks for few certificates, whatever strangers name", async () => {
  const { asked, get } = startAmazon();
  const { read } = sesEvents({ topics: [TOPIC], get, now: () => new Date() });
  for (let nth = 0; nth < 40; nth += 1) {
    const url = `${HOST}/SimpleNotificationService-${String(nth).padStart(32, "0")}.pem`;
    await read(Buffer.from(signed(NOTIFIED, own.private, url).body), {});
  }
  expect(asked.length).toBeLessThan(25);
});

describeSubscriptions();

function describeSubscriptions() {
  const subscribing = (SubscribeURL: string) =>
    signed({
      Type: "SubscriptionConfirmation",
      MessageId: "m-2",
      Message: "You have chosen …",
      Token: "t",
      SubscribeURL,
    });
  const confirm = `${HOST}/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=t`;

  test("the subscription to a topic of the settings is confirmed", async () => {
    const { asked, get } = startAmazon();
    const { read } = sesEvents({ topics: [TOPIC], get, now: () => new Date() });
    expect(await read(Buffer.from(subscribing(confirm).body), {})).toEqual([{ kind: "other", id: "ses/m-2" }]);
    expect(asked).toEqual([OWN, confirm]);
  });

  test.each([
    confirm.replace("sns.eu-west-1", "sns.us-east-1"),
    confirm.replace("amazonaws.com", "amazonaws.com.evil.example"),
    confirm.replace("ConfirmSubscription", "DeleteTopic"),
    confirm.replace(":mail", ":other"),
    confirm.replace("https:", "http:"),
  ])("no other address is opened to confirm: %s", async (url) => {
    const { asked, get } = startAmazon();
    const { read } = sesEvents({ topics: [TOPIC], get, now: () => new Date() });
    expect(await read(Buffer.from(subscribing(url).body), {})).toBe("malformed");
    expect(asked).toEqual([OWN]);
  });
}
