// Events of Postmark, with a secret in the URL or in a header.
import { changed, type How, type Kind, type Posted, providerEventsContract, type Taken } from "./contract.ts";
import { startRelay } from "./relay.ts";

const OLD = "old-secret-of-postmark";
const NEW = "new-secret-of-postmark";

function bodyOf(kind: Kind, to: string, at: Date): object {
  const bounce = (Type: string, Details: string) => ({ RecordType: "Bounce", Type, Email: to, BouncedAt: at, Details });
  switch (kind) {
    case "delivered":
      return { RecordType: "Delivery", Recipient: to, DeliveredAt: at, Details: "250 2.0.0 OK" };
    case "hard":
      return bounce("HardBounce", "smtp;550 5.1.1 The mailbox does not exist");
    case "soft":
      return bounce("SoftBounce", "smtp;552 5.2.2 The mailbox is full");
    case "complained":
      return { ...bounce("SpamComplaint", ""), RecordType: "SpamComplaint" };
    case "failed":
      return bounce("SMTPApiError", "An error occurred while accepting an email through the SMTP API.");
    case "delayed":
      return bounce("Transient", "smtp;451 4.7.1 Try again later");
    case "unsubscribed": {
      const why = { SuppressSending: true, SuppressionReason: "ManualSuppression", Origin: "Recipient" };
      return { RecordType: "SubscriptionChange", Recipient: to, ChangedAt: at, ...why };
    }
    case "other":
      return { RecordType: "Open", Recipient: to, ReceivedAt: at };
  }
}

providerEventsContract("postmark", async () => {
  const relay = await startRelay((header) => {
    const isKept = /^X-PM-KeepID: true\r$/im.test(header);
    return isKept ? /^X-PM-Metadata-mailberth-id: (\S+)\r$/im.exec(header)?.[1] : undefined;
  });
  function report(kind: Kind, { to, mark }: Taken, { id, at, isNewKey }: How): Posted {
    const Metadata = mark === undefined ? {} : { "Mailberth-Id": mark };
    const body = JSON.stringify({
      ...bodyOf(kind, to, at),
      ID: Number.parseInt(id.slice(0, 12), 16),
      MessageID: id,
      Metadata,
    });
    const basic = Buffer.from(`mailberth:${OLD}`).toString("base64");
    return { body, headers: isNewKey ? { "X-Webhook-Secret": NEW } : { Authorization: `Basic ${basic}` } };
  }
  return {
    name: "postmark",
    settings: { ...relay.settings, POSTMARK_WEBHOOK_SECRET: `${OLD},${NEW}` },
    kinds: ["delivered", "hard", "soft", "complained", "failed", "delayed", "unsubscribed", "other"],
    report,
    forge({ body }, nth) {
      const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString("base64")}` });
      const headers = [
        {},
        basic(`mailberth:${changed(OLD, nth)}`),
        { "X-Webhook-Secret": changed(NEW, nth) },
        basic(OLD.slice(1)),
        { Authorization: `Bearer ${OLD}` },
        { "X-Webhook-Secret": "" },
      ];
      return { body, headers: headers[nth % headers.length] as Record<string, string> };
    },
    taken: relay.taken,
    close: relay.close,
  };
});
