// A service with webhooks whose endpoints are real ones on loopback, for the tests of what was delivered and of sending it again.
import { verifyWebhook } from "#client/verify-webhook.ts";
import { api, type Page, type Webhook } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { type Receiver, startReceiver } from "#test/webhooks/delivery/receiver.ts";

export const events = ["message.received"];
export const UNKNOWN_WEBHOOK = "whk_01jd3m9v5sf0b8j3mgz7qk2x4c";
export const UNKNOWN_DELIVERY = "dlv_01jd3m9v5sf0b8j3mgz7qk2x4c";

export type StoredWebhook = Omit<Webhook, "secret"> & {
  name: string | null;
  address: string | null;
  active: boolean;
  disabled_reason: string | null;
  disabled_at: string | null;
  failing_since: string | null;
  previous_secret_expires_at: string | null;
};
export type Delivery = {
  id: string;
  webhook_id: string;
  event_id: string;
  message_id: string;
  status: "pending" | "succeeded" | "failed";
  attempt_count: number;
  next_attempt_at: string | null;
  last_status: number | null;
  last_error: string | null;
  created_at: string;
  completed_at: string | null;
};
type Received = Receiver["received"][number];

/** Registers a webhook that nothing is posted to. @returns its id */
export async function addWebhook(client: ReturnType<typeof api>, key: string, address?: string): Promise<string> {
  return (await client.post<Webhook>("/v1/webhooks", { url: "https://agent.example/", events, address }, { key })).body
    .id;
}

/** Throws unless the received request is signed with the secret's text as the key. */
export function verify({ headers, body }: Received, secret: string, now?: Date) {
  return verifyWebhook(body, String(headers["x-service-signature"]), secret, now ? { now } : undefined);
}

export function signatures({ headers }: Received): string[] {
  return [...String(headers["x-service-signature"]).matchAll(/v1=([0-9a-f]{64})/g)].map(
    ([, signature = ""]) => signature,
  );
}

export const deliveryId = ({ headers }: Received) => String(headers["x-service-delivery"]);

/** @param roles without `worker`, nothing is delivered until a test calls it */
export async function startRig(
  roles = "web,smtp,worker",
  options: Parameters<typeof startTestService>[1] = {},
  environment: Parameters<typeof startTestService>[0] = {},
) {
  const service = await startTestService({ ...environment, ROLES: roles }, options);
  const client = api(service);
  const receivers: Receiver[] = [];

  async function endpoint(answer?: Receiver["answer"]): Promise<Receiver> {
    const receiver = await startReceiver(answer);
    receivers.push(receiver);
    return receiver;
  }

  /** An organization with a mailbox, an endpoint, and a webhook that leads from one to the other. */
  async function furnished(answer?: Receiver["answer"]) {
    const organization = await service.newOrganization();
    const key = organization.agentKey;
    const inbox = await client.createInbox(key);
    const receiver = await endpoint(answer);
    const register = async (url = receiver.url, address: string | undefined = inbox.address) =>
      (await client.post<Webhook>("/v1/webhooks", { url, events, address }, { key })).body;
    const webhook = await register();
    const path = `/v1/webhooks/${webhook.id}`;
    const deliveries = async (query = "", of = path) =>
      (await client.get<Page<Delivery>>(`${of}/deliveries${query}`, { key })).body.data;
    return {
      ...organization,
      key,
      inbox,
      receiver,
      webhook,
      path,
      register,
      deliveries,
      mail: (subject = "Hello") => service.mail({ from: "w@else.example", to: inbox.address, subject }),
      read: async () => (await client.get<StoredWebhook>(path, { key })).body,
      patch: (json: object) => client.patch<StoredWebhook>(path, json, { key }),
      post: <Body>(rest: string, json?: object, as = key) => client.post<Body>(`${path}${rest}`, json, { key: as }),
      /** Waits until the statuses of its deliveries, newest first, are these. */
      settled: (...statuses: string[]) =>
        eventually(async () => {
          const found = (await deliveries()).map(({ status }) => status);
          if (found.join() !== statuses.join()) throw new Error(`${found} instead of ${statuses}`);
        }),
      /** Waits until the endpoint was called so many times. */
      called: (times: number) =>
        eventually(() => {
          if (receiver.received.length < times)
            throw new Error(`${receiver.received.length} calls instead of ${times}`);
        }),
    };
  }

  return {
    service,
    client,
    endpoint,
    furnished,
    async close(): Promise<void> {
      await client.close();
      await service.stop();
      for (const receiver of receivers) await receiver.close();
    },
  };
}
