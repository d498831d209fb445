// `npm run demo -- --paid`: a paid mailbox, with a chain, a token and a facilitator that it starts. They come from the
// tests, which this file, never published, imports.
import { type LocalAccount, parseUnits } from "viem";
import { startTestNetwork, type TestNetwork } from "#test/support/payments/network.ts";
import { authorize, payloadV2 } from "#test/support/payments/signing.ts";
import { ASSET, CHAIN_ID } from "#test/support/payments/token.ts";
import { createClient, payingFetch, type RouterOutputs } from "../index.ts";
import { ask, enrol, expectEqual } from "./rest.ts";
import { type DemoService, startOwnService } from "./service.ts";
import { step, title, wholeStep } from "./steps.ts";

type Inbox = RouterOutputs["inboxes"]["create"];
type Scene = { service: DemoService; network: TestNetwork; payer: LocalAccount; key: string };

const PATH = "/v1/inboxes";
const ORDER = { display_name: "Ada", client_id: "demo-paid-1" };
const DECIMALS = 6;

/** Millionths as dollars: 0.100000. */
function dollars(amount: bigint): string {
  const digits = `${amount}`.padStart(DECIMALS + 1, "0");
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}

async function balances({ network, payer }: Scene, when: string): Promise<bigint> {
  return step(`The balances ${when}`, async () => {
    const [paying, paid] = await Promise.all([network.balanceOf(payer.address), network.balanceOf(network.payTo)]);
    return [paying, `payer ${dollars(paying)} USDC, service ${dollars(paid)} USDC`];
  });
}

/** The transaction in the receipt, which must be on the chain too. */
async function lookAtChain({ network, payer }: Scene, transaction: string, amount: bigint): Promise<void> {
  await step("  … which the chain has", async () => {
    const payment = (await network.payments()).find((one) => one.transaction === transaction);
    expectEqual("The payer", payment?.from, payer.address);
    expectEqual("The amount", payment?.value, amount);
    return [undefined, `Transfer ${payment?.from} → ${payment?.to}: ${dollars(amount)} USDC`];
  });
}

function transactionOf(headers: Headers): string {
  const receipt = headers.get("PAYMENT-RESPONSE") ?? "";
  return (JSON.parse(Buffer.from(receipt, "base64").toString()) as { transaction: string }).transaction;
}

async function quote({ service, key }: Scene) {
  return step("Ask for a mailbox", async () => {
    const answer = await ask(service.url + PATH, "POST", ORDER, { Authorization: `Bearer ${key}` });
    expectEqual("The status", answer.status, 402);
    const { payment } = JSON.parse(answer.text) as { payment: { amount: string; pay_to: string } };
    return [payment, `POST ${PATH} → 402, PAYMENT-REQUIRED: ${answer.headers.get("PAYMENT-REQUIRED")}`];
  });
}

async function pay({ service, key }: Scene, name: string, payload: string) {
  return step(name, async () => {
    const headers = { Authorization: `Bearer ${key}`, "PAYMENT-SIGNATURE": payload };
    const answer = await ask(service.url + PATH, "POST", ORDER, headers);
    expectEqual("The status", answer.status, 201);
    const inbox = JSON.parse(answer.text) as Inbox;
    const transaction = transactionOf(answer.headers);
    return [{ inbox, transaction }, `POST ${PATH} → 201 ${inbox.address}, transaction ${transaction}`];
  });
}

async function handshake(scene: Scene): Promise<void> {
  const { amount, pay_to } = await quote(scene);
  const payload = await step("Sign an authorization (EIP-3009)", async () => {
    const signed = await authorize(scene.payer, { to: pay_to, value: amount });
    const { nonce, validBefore } = signed.authorization;
    return [payloadV2(signed), `${dollars(BigInt(amount))} USDC to ${pay_to}, until ${validBefore}, nonce ${nonce}`];
  });
  const paid = await pay(scene, "Repeat the call with it", payload);
  await lookAtChain(scene, paid.transaction, BigInt(amount));
  const again = await pay(scene, "The same payload again", payload);
  expectEqual("The mailbox", again.inbox.id, paid.inbox.id);
  expectEqual("The number of payments", (await scene.network.payments()).length, 1);
}

async function payWithTheClient(scene: Scene): Promise<void> {
  const { service, network, payer, key } = scene;
  const last = await step("The typed client pays automatically", async () => {
    const client = createClient({ url: service.url, key, fetch: payingFetch(payer) });
    const inbox = await client.inboxes.create.mutate({ display_name: "Ben", client_id: "demo-paid-2" });
    const payment = (await network.payments()).at(-1);
    if (!payment) throw new Error("The chain has no payment");
    return [payment, `payingFetch(account) → ${inbox.address}, transaction ${payment.transaction}`];
  });
  await lookAtChain(scene, last.transaction, last.value);
}

async function play(service: DemoService, network: TestNetwork): Promise<void> {
  await step("Turn on payments for the organization", async () => {
    await service.admin("organizations", "update", "Default", "--paid-provisioning", "on");
    return [undefined, "npm run -s admin -- organizations update Default --paid-provisioning on"];
  });
  const key = await enrol(service);
  const scene = { service, network, key, payer: await network.newPayer(parseUnits("1", DECIMALS)) };
  const before = await balances(scene, "before");
  await handshake(scene);
  await payWithTheClient(scene);
  const after = await balances(scene, "afterwards");
  const price = BigInt(network.settings.PAYMENTS_PRICE_PER_MAILBOX ?? 0);
  expectEqual("What two mailboxes cost", `${before - after}`, `${price * 2n}`);
}

export async function playPaid(): Promise<void> {
  title("Mailberth: from a 402 to a paid mailbox");
  const network = await wholeStep("Start a chain, a dollar and a facilitator", async () => {
    const started = await startTestNetwork();
    return [
      started,
      `chain ${CHAIN_ID} at ${started.rpcUrl}, USDC at ${ASSET}, facilitator at ${started.facilitatorUrl}`,
    ];
  });
  try {
    const service = await wholeStep("Start a service that is paid there", async () => {
      const started = await startOwnService(network.settings);
      return [
        started,
        `${started.url}, ${dollars(BigInt(network.settings.PAYMENTS_PRICE_PER_MAILBOX ?? 0))} USDC a mailbox`,
      ];
    });
    try {
      await play(service, network);
    } finally {
      await wholeStep("Stop it and remove its data", async () => [await service.stop(), "SIGTERM → exit 0"]);
    }
  } finally {
    await network.stop();
  }
}
