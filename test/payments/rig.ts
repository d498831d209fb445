// A service that is paid on a ledger in memory, payers, and the handshake in one call.
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { reservedInboxes } from "#server/inboxes/reserved.ts";
import { setPaidProvisioning } from "#server/organizations/organizations.ts";
import { recoverPayments } from "#server/payments/recover.ts";
import { type Answer, api, type Failure, type Inbox, type Quota } from "#test/support/api.ts";
import { authorize, payloadV1, payloadV2, type Signed } from "#test/support/payments/signing.ts";
import { adjustableClock, startTestService, type TestService } from "#test/support/service.ts";
import { memoryLedger } from "./ledger.ts";

export const PAY_TO = "0x1111111111111111111111111111111111111111";
export const PRICE = "100000";
const SETTINGS = {
  PAYMENTS_ENABLED: "true",
  PAYMENTS_RPC_URL: "http://127.0.0.1:9",
  PAYMENTS_FACILITATOR_URL: "http://127.0.0.1:9",
  PAYMENTS_PAY_TO: PAY_TO,
  PAYMENTS_PRICE_PER_MAILBOX: PRICE,
};

type Asked = Failure & {
  payment: Record<"network" | "asset" | "amount" | "pay_to" | "resource" | "facilitator", string>;
  x402Version: number;
  accepts: Record<string, unknown>[];
};
export type Paid = Answer<Inbox & Asked & { max_mailboxes: number; used_count: number }>;
type Database = { database?: TestService["database"] };

/** The JSON in a header, in base64. */
export const decoded = (header: string | undefined) => JSON.parse(Buffer.from(header ?? "", "base64").toString());

/** @param environment more settings; `ROLES` is only `web`, so that recovery runs only when a test calls it */
export async function startPaying(environment: Parameters<typeof startTestService>[0] = {}, options: Database = {}) {
  const ledger = memoryLedger();
  const clock = adjustableClock();
  const service = await startTestService(
    { ROLES: "web", ...SETTINGS, ...environment },
    { ...options, payments: ledger.ports, now: clock.now },
  );
  const client = api(service);

  /** Signs a payment of `amount` by a payer with money. */
  function sign(amount: string | number = PRICE, other: Parameters<typeof authorize>[2] = {}): Promise<Signed> {
    return authorize(privateKeyToAccount(generatePrivateKey()), { to: PAY_TO, value: `${amount}` }, other);
  }
  const post = (path: string, key: string, json: object, headers: Record<string, string>) =>
    client.post<Paid["body"]>(path, json, { key, headers });

  return {
    ledger,
    clock,
    service,
    client,
    sign,
    /** An organization that pays, with an agent. */
    async newOrganization(grant: Parameters<TestService["newOrganization"]>[0] = {}) {
      const organization = await service.newOrganization(grant);
      await setPaidProvisioning(service.system, organization.organizationId, true);
      return { ...organization, key: organization.agentKey };
    },
    /** POST /v1/inboxes, with the signed payload when there is one. */
    create: (key: string, json: object = {}, signed?: Signed, headers: Record<string, string> = {}): Promise<Paid> =>
      post("/v1/inboxes", key, json, { ...(signed && { "x-payment": payloadV1(signed) }), ...headers }),
    buy: (key: string, json: object, signed?: Signed, headers: Record<string, string> = {}): Promise<Paid> =>
      post("/v1/purchase", key, json, { ...(signed && { "payment-signature": payloadV2(signed) }), ...headers }),
    quota: async (key: string) =>
      (await client.get<{ quota: Quota & { prepaid?: number } }>("/v1/auth/me", { key })).body.quota,
    /** What the worker does when its time has come. */
    async recover(aheadMs = 60_000): Promise<void> {
      clock.advance(aheadMs);
      await recoverPayments(service.system, reservedInboxes);
    },
    rows: () => service.system.sql<{ status: string; attempts: number }[]>`select * from payments order by id`,
    async stop() {
      await client.close();
      await service.stop();
    },
  };
}
