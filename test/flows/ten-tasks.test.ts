// Ten tasks that an agent does over MCP with the official client, which follows hints as a model does: each can be finished, with how
// many calls, wrong turns and characters of results. `TASKS_TABLE=1` prints the figures.
import { afterAll, expect, test } from "vitest";
import { connect } from "#test/api/mcp/rig.ts";
import { startTestService } from "#test/support/service.ts";

/** Corrections of one call, after which a model gives up. */
const TRIES_MAX = 4;
const HINT = /^unknown field; did you mean `(\w+)`\?$/;
const service = await startTestService({ RATE_LIMIT_BURST: "1000" });
afterAll(service.stop);

type Data = Record<string, unknown>;
type Row = { task: string; done: boolean; calls: number; wrong: number; characters: number };

/** A client that counts, and renames arguments as hints say. */
async function player() {
  const { agentKey } = await service.newOrganization();
  const { client, close } = await connect(service, agentKey);
  const { tools } = await client.listTools();
  const counts = { calls: 0, wrong: 0, characters: 0 };
  async function call<Body = Data>(name: string, args: Data): Promise<Body> {
    let input = args;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      counts.calls += 1;
      const result = await client.callTool({ name, arguments: input });
      counts.characters += JSON.stringify(result).length;
      const data = result.structuredContent as Data;
      if (!result.isError) return data as Body;
      counts.wrong += 1;
      const issues = (data.issues ?? []) as { path: string; message: string }[];
      const renames = new Map(issues.flatMap(({ path, message }) => [[path, HINT.exec(message)?.[1]] as const]));
      if (![...renames.values()].some(Boolean)) throw new Error(`${name}: ${data.message}`);
      input = Object.fromEntries(Object.entries(input).map(([field, value]) => [renames.get(field) ?? field, value]));
    }
    throw new Error(`${name}: too many corrections`);
  }
  /** The first of these tools that exists. */
  const find = (...names: string[]) => {
    const found = names.find((name) => tools.some((tool) => tool.name === name));
    if (!found) throw new Error(`no tool ${names.join(" or ")}`);
    return found;
  };
  const { address } = await call<{ address: string }>("create_inbox", {});
  Object.assign(counts, { calls: 0, wrong: 0, characters: 0 });
  return {
    call,
    find,
    counts,
    address,
    close,
    /** As a person does over REST, or an agent by mistake. */
    async remove(id: string) {
      const headers = { Authorization: `Bearer ${agentKey}` };
      const answer = await fetch(`${service.url}/v1/messages/${id}`, { method: "DELETE", headers });
      expect(answer.status).toBe(200);
    },
    mail: (mail: object) => service.mail({ from: "ann@shop.example", to: address, ...mail }),
  };
}

type Player = Awaited<ReturnType<typeof player>>;
type Message = { id: string; thread_id: string; attachments: { id: string }[] };
type Waited = { message: Message; extracted: { otp: string | null; link: string | null } };
type Page = { data: { id: string }[] };

const SINCE = "2020-01-01T00:00:00Z";
const waited = ({ call, address }: Player) =>
  call<Waited>("wait_for_email", { inbox: address, since: SINCE, timeout: "30" });

const TASKS: Record<string, (player: Player) => Promise<void>> = {
  async "sign up with a code"({ call, find }) {
    const { address, wait_url } = await call<Record<string, string>>(find("create_verification"), {});
    await service.mail({
      from: "no-reply@shop.example",
      to: address ?? "",
      subject: "Code",
      text: "Your code is 482915",
    });
    expect(await call(find("wait_for_code"), { wait_url })).toMatchObject({ otp: "482915" });
  },
  async "a magic link"(player) {
    await player.mail({
      from: "no-reply@shop.example",
      subject: "Sign in",
      text: "Sign in: https://shop.example/login?t=8sK2x9",
    });
    expect((await waited(player)).extracted.link).toContain("8sK2x9");
  },
  async "answer a thread"(player) {
    await player.mail({ subject: "Question", text: "When do you open?" });
    const { message } = await waited(player);
    await player.call("get_thread", { thread_id: message.thread_id });
    await player.call("reply_to_email", { message_id: message.id, body: "At nine.", cc: "bob@shop.example" });
  },
  async "triage 50 mails"({ call, find, mail, address }) {
    for (let i = 0; i < 50; i += 1) await mail({ subject: `Mail ${i}`, text: `Text ${i}` });
    const { data } = await call<Page>("search_messages", { inbox: address, limit: "50" });
    expect(data).toHaveLength(50);
    const ids = data.map(({ id }) => id);
    const many = find("update_messages", "update_message");
    if (many === "update_messages") await call(many, { message_ids: ids, is_read: true, labels: "triaged" });
    else for (const id of ids) await call(many, { message_id: id, is_read: true, labels: ["triaged"] });
  },
  async "send a file"({ call, address }) {
    const attachments = [{ name: "a.txt", type: "text/plain", content: Buffer.from("a").toString("base64") }];
    const file = [{ filename: "a.txt", content_type: "text/plain", content_base64: attachments[0]?.content }];
    await call("send_email", {
      inbox: address,
      recipient: "bob@else.example",
      title: "File",
      body: "Here",
      files: file,
    });
  },
  async "schedule a mail"({ call, address }) {
    const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
    const sent = await call("send_email", { inbox: address, to: "bob@else.example", body: "Later", scheduled_at });
    expect(sent).toMatchObject({ status: "scheduled" });
  },
  async "a draft for approval, then sent"({ call, find, address }) {
    const draft = await call<Data>("create_draft", { inbox: address, to: "bob@else.example", body: "For you to read" });
    await call(find("send_draft"), { draft_id: draft.id, revision: draft.revision });
  },
  async "find an invoice and read its PDF"({ call, mail, address }) {
    const attachments = [
      { filename: "invoice.pdf", content: pdf("Invoice 1042: EUR 350.00"), contentType: "application/pdf" },
    ];
    await mail({ subject: "Invoice 1042", text: "Attached.", attachments });
    await call("wait_for_email", { inbox: address, after: SINCE });
    const { data } = await call<Page>("search_messages", { query: "invoice", inbox: address });
    const message = await call<Message>("get_message", { message_id: data[0]?.id });
    const file = await call<{ safe_text?: { text: string } }>("get_attachment", {
      message_id: message.id,
      file_id: message.attachments[0]?.id,
    });
    expect(file.safe_text?.text).toContain("350.00");
  },
  async "take back a deletion"(player) {
    await player.mail({ subject: "Contract", text: "Signed." });
    const { message } = await waited(player);
    await player.remove(message.id);
    await player.call(player.find("restore_message", "restore_messages"), { message_id: message.id });
    expect((await player.call<Message>("get_message", { message_id: message.id })).id).toBe(message.id);
  },
  async "hand over to a narrower key"({ call, find, address }) {
    const { key } = await call<{ key: string }>(find("create_key"), { permissions: "mailbox:read", inbox: address });
    const other = await connect(service, key);
    expect((await other.done<{ scopes: string[] }>("get_account")).scopes).toEqual(["mailbox:read"]);
    await other.close();
  },
};
test("ten tasks", async () => {
  const rows: Row[] = [];
  for (const [task, play] of Object.entries(TASKS)) {
    const one = await player();
    const error = await play(one).then(
      () => undefined,
      (reason: Error) => reason,
    );
    rows.push({ task, done: error === undefined, ...one.counts });
    if (error && process.env.TASKS_TABLE) console.log(`${task}: ${error.message}`);
    await one.close();
  }
  if (process.env.TASKS_TABLE) console.table(rows);
  expect(rows.filter(({ done }) => !done).map(({ task }) => task)).toEqual([]);
  // One correction for each call whose arguments were guessed.
  for (const { task, wrong, calls } of rows) expect(wrong, task).toBeLessThanOrEqual(calls / 2);
});

/** A PDF of one line. */
function pdf(line: string): Buffer {
  const stream = `BT /F1 12 Tf 72 720 Td (${line}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, i) => {
    const offset = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const start = text.length;
  text += `xref\n0 6\n0000000000 65535 f \n${offsets.join("")}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text);
}
