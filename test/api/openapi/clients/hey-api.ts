// The main story of an agent with the client that @hey-api/openapi-ts generates.
import { createClient } from "./generated/hey-api/client/index.ts";
import {
  createInbox,
  deleteInbox,
  getInbox,
  listMessages,
  redeemEnrollmentKey,
  sendMessage,
  waitForEmail,
} from "./generated/hey-api/sdk.gen.ts";
import type { Inbox, Message } from "./generated/hey-api/types.gen.ts";

declare const process: { argv: string[] };
const [baseUrl = "", token = ""] = process.argv.slice(2);

const anonymous = createClient({ baseUrl, throwOnError: true });
const { data: redeemed } = await redeemEnrollmentKey({
  client: anonymous,
  body: { token, agent_handle: "hey-api" },
  throwOnError: true,
});
const client = createClient({ baseUrl, auth: redeemed.agent_key });
const common = { client, throwOnError: true } as const;

const { data: sender } = await createInbox({ ...common, body: { display_name: "Sender" } });
const { data: receiver } = await createInbox({ ...common, body: {} });
const same: Inbox = { ...receiver };
const status: "live" = sender.status;

const { data: queued } = await sendMessage({
  ...common,
  path: { addr: sender.address },
  body: { to: [receiver.address], subject: "Your code", text: "Your code is 482915" },
});
const { data: waited } = await waitForEmail({
  ...common,
  path: { addr: receiver.address },
  body: { from: sender.address, after: sender.created_at, timeout_seconds: 60 },
});
const message: Message | null = waited.message;
const { data: listed } = await listMessages({
  ...common,
  path: { addr: receiver.address },
  query: { limit: 10, direction: "inbound" },
});
const { data: deleted } = await deleteInbox({ ...common, path: { addr: receiver.address } });
const gone = await getInbox({ client, path: { addr: receiver.address } });
const code = gone.response?.status === 404 ? gone.error?.error.code : undefined;

// @ts-expect-error a number is no username
const badBody: Parameters<typeof createInbox>[0] = { client, body: { username: 5 } };
// @ts-expect-error there is no such status
const badStatus: Inbox["status"] = "dead";

console.log(
  JSON.stringify({
    status,
    queued: "status" in queued && queued.status,
    subject: message?.subject,
    otp: waited.extracted.otp,
    listed: listed.data.map(({ id }) => id === message?.id),
    deleted: deleted.deleted && deleted.id === same.id,
    code,
    unused: [badBody, badStatus].length,
  }),
);
