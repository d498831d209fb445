// A facilitator of the test network: the real scheme of `@x402/evm` behind its three paths, and every fault of `faults.ts`.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { x402Facilitator } from "@x402/core/facilitator";
import type { PaymentPayload, PaymentRequirements, SettleResponse } from "@x402/core/types";
import { registerExactEvmScheme } from "@x402/evm/exact/facilitator";
import type { Signer } from "./facilitator-signer.ts";
import type { Call, Fault, Switchboard } from "./faults.ts";
import { NETWORK } from "./token.ts";

const SLOW_MS = 1_500;
const UNKNOWN_TRANSACTION = `0x${"ab".repeat(32)}`;

type Body = { x402Version: number; paymentPayload: PaymentPayload; paymentRequirements: PaymentRequirements };
type Authorized = { payload?: { authorization?: { from?: string } } };
type Answer = { status: number; body: unknown } | "drop" | "hang";
/** Moves tokens of the facilitator's own, for lies that have something to show; gives the transaction. */
export type Decoy = (kind: "lie_payee" | "lie_amount", requirements: PaymentRequirements) => Promise<string>;
type Rig = Switchboard & { signer: Signer; decoy: Decoy };

const ok = (body: unknown): Answer => ({ status: 200, body });
const payerOf = ({ paymentPayload }: Body) =>
  (paymentPayload as Authorized | undefined)?.payload?.authorization?.from ?? "";

/** What is answered without the real thing; undefined for faults that need it. */
function insteadOf(fault: Fault | undefined): Answer | undefined {
  if (fault === "down" || fault === "drop_before") return "drop";
  if (fault === "hang_before") return "hang";
  if (fault === "fail_before") return { status: 500, body: { error: "internal error" } };
  if (fault === "garbage") return ok("<html><body>It works!</body></html>");
  if (fault === "garbage_json") return ok({ success: "yes", isValid: 1, transaction: ["0x"] });
}

/** What is answered in place of a payment that did go through. */
function disguise(fault: Fault | undefined, settled: SettleResponse): Answer {
  if (fault === "drop_after") return "drop";
  if (fault === "hang_after") return "hang";
  if (fault === "502_after") return { status: 502, body: "<html>Bad Gateway</html>" };
  const failed = { ...settled, success: false };
  if (fault === "refuse_after") return ok({ ...failed, errorReason: "insufficient_funds", transaction: "" });
  const pending = { ...failed, errorReason: "settlement_pending" };
  if (fault === "pending_500") return { status: 500, body: pending };
  if (fault === "pending_200") return ok(pending);
  return ok(settled);
}

function answering(rig: Rig) {
  const { signer } = rig;
  // For both versions of the protocol.
  const facilitator = registerExactEvmScheme(new x402Facilitator(), { signer, networks: NETWORK });
  let earlier = UNKNOWN_TRANSACTION;

  async function lie(fault: Fault | undefined, requirements: PaymentRequirements): Promise<string | undefined> {
    if (fault === "lie_payee" || fault === "lie_amount") return rig.decoy(fault, requirements);
    if (fault === "lie_earlier") return earlier;
    if (fault === "lie_transaction") return UNKNOWN_TRANSACTION;
  }

  async function settle(body: Body, fault: Fault | undefined): Promise<Answer> {
    const { paymentPayload, paymentRequirements } = body;
    const invented = await lie(fault, paymentRequirements);
    const { network } = paymentRequirements;
    if (invented !== undefined) return ok({ success: true, transaction: invented, network });
    const settled = await facilitator.settle(paymentPayload, paymentRequirements);
    if (settled.success) earlier = settled.transaction;
    await rig.reach("transferred", payerOf(body));
    return settled.success ? disguise(fault, settled) : ok(settled);
  }

  async function verify({ paymentPayload, paymentRequirements }: Body, fault: Fault | undefined): Promise<Answer> {
    const verified = await facilitator.verify(paymentPayload, paymentRequirements);
    return fault?.startsWith("lie_") ? ok({ ...verified, isValid: true, invalidReason: undefined }) : ok(verified);
  }

  return {
    supported: () => ok(facilitator.getSupported()),
    async answer(call: Call, body: Body): Promise<Answer> {
      rig.calls[call] += 1;
      const fault = rig.faultOf(call, payerOf(body));
      await rig.reach(call, payerOf(body));
      const instead = insteadOf(fault);
      if (instead) return instead;
      if (fault === "slow") await sleep(SLOW_MS);
      return call === "settle" ? settle(body, fault) : verify(body, fault);
    },
  };
}

function write(response: ServerResponse, answer: Answer): void {
  if (answer === "hang") return;
  if (answer === "drop") {
    response.destroy();
    return;
  }
  const text = typeof answer.body === "string";
  response.writeHead(answer.status, { "Content-Type": text ? "text/html" : "application/json" });
  response.end(text ? answer.body : JSON.stringify(answer.body));
}

export async function startFacilitator(rig: Rig) {
  const { supported, answer } = answering(rig);
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = `${request.method} ${request.url}`;
    if (path === "GET /supported") {
      write(response, supported());
      return;
    }
    const call = (["verify", "settle"] as const).find((name) => path === `POST /${name}`);
    if (!call) {
      write(response, { status: 404, body: { error: path } });
      return;
    }
    const body = (await json(request)) as Body;
    write(response, await answer(call, body));
    if (call === "settle") await rig.reach("answered", payerOf(body));
  }
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => write(response, { status: 500, body: { error: `${error}` } }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
