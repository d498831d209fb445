// The main story of an agent with openapi-fetch, on the types that openapi-typescript generates.
import createClient from "openapi-fetch";
import type { components, paths } from "./generated/openapi-typescript/document.d.ts";

declare const process: { argv: string[] };
const [baseUrl = "", token = ""] = process.argv.slice(2);

type Inbox = components["schemas"]["Inbox"];
type Message = components["schemas"]["Message"];

/** The body of an answer that must be a success. */
function body<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const anonymous = createClient<paths>({ baseUrl });
const redeemed = body(await anonymous.POST("/v1/enroll", { body: { token, agent_handle: "openapi-fetch" } }));
const headers = { Authorization: `Bearer ${redeemed.agent_key}` };
const client = createClient<paths>({ baseUrl, headers });

const sender: Inbox = body(await client.POST("/v1/inboxes", { body: { display_name: "Sender" } }));
const receiver: Inbox = body(await client.POST("/v1/inboxes", { body: {} }));
const status: "live" = sender.status;

const queued = body(
  await client.POST("/v1/inboxes/{addr}/send", {
    params: { path: { addr: sender.address } },
    body: { to: receiver.address, subject: "Your code", text: "Your code is 482915" },
  }),
);
const waited = body(
  await client.POST("/v1/inboxes/{addr}/wait", {
    params: { path: { addr: receiver.address } },
    body: { from: sender.address, after: sender.created_at, timeout_seconds: 60 },
  }),
);
const message: Message | null = waited.message;
const listed = body(
  await client.GET("/v1/inboxes/{addr}/messages", {
    params: { path: { addr: receiver.address }, query: { limit: 10, direction: "inbound" } },
  }),
);
const deleted = body(await client.DELETE("/v1/inboxes/{addr}", { params: { path: { addr: receiver.address } } }));
const gone = await client.GET("/v1/inboxes/{addr}", { params: { path: { addr: receiver.address } } });
const code = gone.response.status === 404 ? gone.error?.error.code : undefined;

// @ts-expect-error a number is no username
const badBody: paths["/v1/inboxes"]["post"]["requestBody"] = { content: { "application/json": { username: 5 } } };
// @ts-expect-error there is no such status
const badStatus: Inbox["status"] = "dead";

console.log(
  JSON.stringify({
    status,
    queued: "status" in queued && queued.status,
    subject: message?.subject,
    otp: waited.extracted.otp,
    listed: listed.data.map(({ id }) => id === message?.id),
    deleted: deleted.deleted && deleted.id === receiver.id,
    code,
    unused: [badBody, badStatus].length,
  }),
);
