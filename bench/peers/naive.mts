// The naive build: smtp-server, postal-mime, a table, graphile-worker and fetch, each as its own documentation shows it.
// The mail and its job are written in one transaction before 250, so it loses as little as the product does.
import { createHmac } from "node:crypto";
import { run } from "graphile-worker";
import pg from "pg";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";

const {
  DATABASE_URL = "",
  WEBHOOK_URL = "",
  WEBHOOK_SECRET = "",
  SMTP_PORT = "0",
  DOMAIN = "",
  BOXES = "0",
} = process.env;
const CONNECTIONS = 10;
const JOBS_AT_ONCE = 16;

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: CONNECTIONS });

async function prepareTables(): Promise<void> {
  await pool.query(`
    create table mailboxes (id int primary key, address text not null unique);
    create table messages (
      id bigint generated always as identity primary key, mailbox_id int not null references mailboxes,
      from_address text, subject text, body_text text, body_html text, headers jsonb, raw bytea not null,
      received_at timestamptz not null default now());
    create index on messages (mailbox_id, id)`);
  await pool.query("insert into mailboxes select n, 'box-' || n || '@' || $1 from generate_series(0, $2::int - 1) n", [
    DOMAIN,
    BOXES,
  ]);
}

async function store(recipient: string, raw: Buffer): Promise<void> {
  const mail = await PostalMime.parse(raw);
  const client = await pool.connect();
  try {
    await client.query("begin");
    const { rows } = await client.query(
      `insert into messages (mailbox_id, from_address, subject, body_text, body_html, headers, raw)
       select id, $2, $3, $4, $5, $6, $7 from mailboxes where address = $1 returning id, received_at`,
      [recipient, mail.from?.address, mail.subject, mail.text, mail.html, JSON.stringify(mail.headers), raw],
    );
    const [{ id, received_at }] = rows;
    const message = { id, from: mail.from?.address, subject: mail.subject, received_at };
    const body = JSON.stringify({ event: "message.received", inbox: recipient, message });
    await client.query("select graphile_worker.add_job('webhook', json_build_object('body', $1::text))", [body]);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  } finally {
    client.release();
  }
}

async function deliver(payload: unknown): Promise<void> {
  const { body } = payload as { body: string };
  const at = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", WEBHOOK_SECRET).update(`${at}.${body}`).digest("hex");
  const headers = { "Content-Type": "application/json", "X-Service-Signature": `t=${at},v1=${signature}` };
  const answer = await fetch(WEBHOOK_URL, { method: "POST", headers, body });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`answered ${answer.status}`);
}

const server = new SMTPServer({
  authOptional: true,
  disableReverseLookup: true,
  disabledCommands: ["AUTH", "STARTTLS"],
  logger: false,
  onRcptTo({ address }, _session, callback) {
    pool
      .query("select 1 from mailboxes where address = $1", [address])
      .then(({ rows }) => callback(rows.length > 0 ? null : new Error("no such mailbox")), callback);
  },
  onData(stream, session, callback) {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      const recipient = session.envelope.rcptTo[0]?.address ?? "";
      store(recipient, Buffer.concat(chunks)).then(() => callback(), callback);
    });
  },
});
server.on("error", (error) => console.error(error.message));

await prepareTables();
await run({
  pgPool: pool,
  concurrency: JOBS_AT_ONCE,
  taskList: { webhook: deliver },
  logger: undefined,
  noHandleSignals: true,
});
server.listen(Number(SMTP_PORT), "127.0.0.1", () => console.log("ready"));
process.on("SIGTERM", () => process.exit(0));
