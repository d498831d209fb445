// Events of SendGrid, signed with ECDSA over the time and the body.
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { changed, type How, type Kind, type Posted, providerEventsContract, type Taken } from "./contract.ts";
import { startRelay } from "./relay.ts";

const SIGNATURE = "X-Twilio-Email-Event-Webhook-Signature";
const TIMESTAMP = "X-Twilio-Email-Event-Webhook-Timestamp";
const SECOND_MS = 1_000;
const HOUR_MS = 60 * 60 * SECOND_MS;

const EVENTS: Record<Kind, object> = {
  delivered: { event: "delivered", response: "250 OK" },
  hard: { event: "bounce", type: "bounce", status: "5.1.1", reason: "550 5.1.1 The address does not exist" },
  soft: { event: "bounce", type: "blocked", status: "5.2.2", reason: "552 5.2.2 The mailbox is full" },
  complained: { event: "spamreport" },
  failed: { event: "dropped", reason: "Bounced Address" },
  delayed: { event: "deferred", response: "451 4.7.1 Try again later", attempt: "5" },
  unsubscribed: { event: "unsubscribe" },
  other: { event: "processed" },
};

const [old, fresh, foreign] = [0, 1, 2].map(() => generateKeyPairSync("ec", { namedCurve: "P-256" }));

function signedWith(key: KeyObject | undefined, body: string, at = new Date()): Posted {
  const timestamp = String(Math.floor(at.getTime() / SECOND_MS));
  const signature = sign("sha256", Buffer.from(timestamp + body), key as KeyObject).toString("base64");
  return { body, headers: { [SIGNATURE]: signature, [TIMESTAMP]: timestamp } };
}

function report(kind: Kind, { to, messageId, mark }: Taken, { id, at, isNewKey }: How): Posted {
  // Bounces that come later have no smtp-id.
  const named = kind === "hard" ? { "mailberth-id": mark } : { "smtp-id": `<${messageId}>` };
  const timestamp = Math.floor(at.getTime() / SECOND_MS);
  const event = { ...EVENTS[kind], ...named, email: to, timestamp, sg_event_id: id, sg_message_id: "x.filter" };
  return signedWith((isNewKey ? fresh : old)?.privateKey, `${JSON.stringify([event])}\r\n`);
}

const shown = (key: KeyObject | undefined) => key?.export({ format: "der", type: "spki" }).toString("base64");

providerEventsContract("sendgrid", async () => {
  const relay = await startRelay((header) => {
    const given = /^X-SMTPAPI: (\{.*\})\r$/im.exec(header)?.[1];
    return given && JSON.parse(given).unique_args["mailberth-id"];
  });
  return {
    name: "sendgrid",
    settings: { ...relay.settings, SENDGRID_PUBLIC_KEY: `${shown(old?.publicKey)},${shown(fresh?.publicKey)}` },
    kinds: ["delivered", "hard", "soft", "complained", "failed", "delayed", "unsubscribed", "other"],
    report,
    forge({ body, headers }, nth) {
      const forged = [
        { body: changed(body, nth), headers },
        { body, headers: { ...headers, [TIMESTAMP]: String(Number(headers[TIMESTAMP]) + 1) } },
        { body, headers: { ...headers, [SIGNATURE]: "" } },
        { body, headers: { [TIMESTAMP]: headers[TIMESTAMP] ?? "" } },
        signedWith(foreign?.privateKey, body),
        signedWith(old?.privateKey, body, new Date(Date.now() - 26 * HOUR_MS)),
        signedWith(old?.privateKey, body, new Date(Date.now() + HOUR_MS)),
      ];
      return forged[nth % forged.length] as Posted;
    },
    taken: relay.taken,
    close: relay.close,
  };
});
