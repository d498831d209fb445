// A service whose agents' messages wait for a member, and what leaves it.
import { hash } from "node:crypto";
import PostalMime from "postal-mime";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { reportedOf } from "#test/support/events.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { newOwner } from "#test/support/team.ts";

export const ADA = "Ada@elsewhere.example";
export const HOUR_MS = 3_600_000;
export const TTL_HOURS = 72;

type Answer = { id: string; status: string; thread_id: string; error?: { code: string } };
type Message = { status: string; error: string | null; recipients: { status: string }[] };
type Event = { event: string; message: { id: string; sha256: string; revision: number; reason: string | null } };

export async function startReviews() {
  const clock = adjustableClock();
  const sink = await startSmtpSink();
  const service = await startTestService(
    { OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url, SEND_CAP_RAMP: "3", RATE_LIMIT_PER_SECOND: "1000" },
    { now: clock.now },
  );
  const client = api(service);
  async function reviewed(policy: "none" | "first_contact" | "all" = "all") {
    const organization = await service.newOrganization();
    const key = organization.agentKey;
    const { address } = await client.createInbox(key);
    const owner = await newOwner(service, organization.organizationId);
    await owner.trpc.reviews.setPolicy.mutate({ review: policy });
    const mails = () => sink.received.filter(({ raw }) => raw.includes(address));
    return {
      ...organization,
      key,
      address,
      owner,
      trpc: owner.trpc,
      mails,
      send: async (json: object = {}, from = address) =>
        (await client.post<Answer>(inboxPath(from, "/send"), { to: ADA, text: "Hello", ...json }, { key })).body,
      read: async (id: string) => (await client.get<Message>(`/v1/messages/${id}`, { key })).body,
      events: async () => reportedOf((await client.get<Page<Event>>("/v1/events", { key })).body.data),
      used: async () => (await client.get<{ used: number }>(inboxPath(address, "/send-limit"), { key })).body.used,
      /** The held message as a member reads it, and what a decision names. */
      async seen(id: string) {
        const review = await owner.trpc.reviews.get.query({ id });
        return { review, named: { id, sha256: review.sha256 } };
      },
    };
  }
  async function stop(): Promise<void> {
    await client.close();
    await service.stop();
    await sink.close();
  }
  return { clock, sink, service, client, reviewed, stop };
}

/** What left, in the form of what was approved. */
export async function contentOf(raw: Buffer) {
  const mail = await PostalMime.parse(raw);
  const addresses = (list: typeof mail.to) => (list ?? []).map(({ address }) => address);
  const files = mail.attachments.map(({ filename, mimeType, content }) => {
    return [filename, mimeType, hash("sha256", Buffer.from(content as ArrayBuffer))];
  });
  return { mail, to: addresses(mail.to), cc: addresses(mail.cc), files };
}
