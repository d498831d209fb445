// GET /v1/inboxes/{addr}/messages with filters.
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { encodeId, newId } from "#server/base/ids.ts";
import { type Answer, api, type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp", SEND_CAP_RAMP: "1000" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Summary = { id: string; thread_id: string; subject: string; received_at?: string; created_at?: string };

/** A mailbox with two mails from outside and one sent, named by their subjects. */
async function furnished() {
  const { agentKey: key } = await service.newOrganization();
  const { address, id } = await client.createInbox(key);
  await service.mail({ from: "Élise <Elise@Else.example>", to: address, subject: "100% ÄRGER_now" });
  await service.mail({ from: "bob@other.example", to: [address, "extra@third.example"], subject: "Second [x] mail" });
  const json = { to: "carol@else.example", bcc: ["dave@else.example"], subject: "Third", text: "x" };
  const sent = (await client.post<Sent>(inboxPath(address, "/send"), json, { key })).body;
  const list = (query: string | Record<string, string>) =>
    client.get<Page<Summary>>(`${inboxPath(address, "/messages")}?${new URLSearchParams(query)}`, { key });
  const subjects = async (query: string | Record<string, string>) => {
    const { status, body } = await list(query);
    expect([query, status]).toEqual([query, 200]);
    return body.data.map(({ subject }) => subject);
  };
  const all = (await list("")).body.data;
  return { key, address, inboxId: id, sent, list, subjects, all };
}
const [FIRST, SECOND, THIRD] = ["100% ÄRGER_now", "Second [x] mail", "Third"];
const box = await furnished();

describe("200", () => {
  test("direction", async () => {
    expect(await box.subjects({ direction: "inbound" })).toEqual([SECOND, FIRST]);
    expect(await box.subjects({ direction: "outbound" })).toEqual([THIRD]);
  });

  test("status, and with or without attachments", async () => {
    const own = await furnished();
    const content_base64 = Buffer.from("x").toString("base64");
    const attachments = [{ filename: "a.txt", content_type: "text/plain", content_base64 }];
    const json = { to: "x@else.example", subject: "With a file", text: "x", attachments };
    await client.post(inboxPath(own.address, "/send"), json, { key: own.key });
    expect(await own.subjects({ has_attachments: "true" })).toEqual(["With a file"]);
    expect(await own.subjects({ has_attachments: "false" })).toEqual([THIRD, SECOND, FIRST]);
    expect(await own.subjects({ status: "queued" })).toEqual(["With a file", THIRD]);
    expect(await own.subjects({ status: "held" })).toEqual([]);
    expect(await own.subjects({ status: "queued", has_attachments: "false" })).toEqual([THIRD]);
    for (const bad of ["status=open", "has_attachments=yes"]) expect((await own.list(bad)).status).toBe(400);
  });

  test("preview: the beginning of the new part in one line, at most 200 characters", async () => {
    const worker = await startTestService({ ROLES: "worker" }, { database: service.database });
    onTestFinished(worker.stop);
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    const quoted = "On Mon, 2 Nov 2026 at 10:00, A <a@b.example> wrote:\n> The old part\n> of it";
    const texts = { short: `Yes,\n\n  we  agree.\n\n${quoted}`, long: "😀 ".repeat(300), page: "" };
    for (const [subject, text] of Object.entries(texts)) {
      const html = "<p>Only <b>HTML</b></p>";
      await service.mail({ from: "a@b.example", to: address, subject, ...(text ? { text } : { html }) });
    }
    await eventually(async () => {
      const { body } = await client.get<Page<{ subject: string; preview: string }>>(inboxPath(address, "/messages"), {
        key,
      });
      expect(Object.fromEntries(body.data.map(({ subject, preview }) => [subject, preview]))).toEqual({
        short: "Yes, we agree.",
        long: "😀 ".repeat(100),
        page: "Only HTML",
      });
    });
  });

  test("preview of what was sent as HTML only: what a person sees of it, behind its styles", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    const styles = `<style>${".row { color: #222; margin: 0 }\n".repeat(300)}</style>`;
    const html = `<html><head><title>x</title>${styles}</head><body><h1>Your  quote</h1><p>90&nbsp;EUR &amp; no more</p></body></html>`;
    const send = (json: object) => client.post(inboxPath(address, "/send"), { to: "x@else.example", ...json }, { key });
    const sent = await send({ subject: "Page", html });
    await send({ subject: "Both", html, text: "In words" });
    const preview = "Your quote 90 EUR & no more";
    await send({ subject: "Piece", html: `${styles}<p>Hello &lt;you&gt;</p><!-- no --><script>1 < 2</script>there` });
    const { body } = await client.get<Page<{ preview: string }>>(inboxPath(address, "/messages"), { key });
    expect(body.data.map((each) => each.preview)).toEqual(["Hello <you> there", "In words", preview]);
    const { id } = sent.body as unknown as { id: string };
    await client.delete(`/v1/messages/${id}`, { key });
    const trash = await client.get<Page<{ preview: string }>>("/v1/trash", { key });
    expect(trash.body.data).toMatchObject([{ preview }]);
  });

  test("from: a whole address, a part of it, a part of the name, in any case", async () => {
    for (const from of ["elise@else.example", "ELISE@ELSE.EXAMPLE", "lise@", "élis", "ÉLISE", "@else.example"]) {
      expect([from, await box.subjects({ from })]).toEqual([from, [FIRST]]);
    }
    expect(await box.subjects({ from: "se@else.example" })).toEqual([]);
    expect(await box.subjects({ from: box.address })).toEqual([THIRD]);
    expect(await box.subjects({ from: ".example" })).toEqual([THIRD, SECOND, FIRST]);
  });

  test("to: among to, cc and bcc, whole or a part", async () => {
    expect(await box.subjects({ to: "dave@else.example" })).toEqual([THIRD]);
    expect(await box.subjects({ to: "EXTRA@third.example" })).toEqual([SECOND]);
    expect(await box.subjects({ to: "xtra@third.example" })).toEqual([]);
    expect(await box.subjects({ to: "third" })).toEqual([SECOND]);
    expect(await box.subjects({ to: box.address })).toEqual([SECOND, FIRST]);
  });

  test("subject: a part in any case, in which no character means another", async () => {
    for (const subject of ["ärger", "ÄRGER_NOW", "100%", "% Ä", "r_n"]) {
      expect([subject, await box.subjects({ subject })]).toEqual([subject, [FIRST]]);
    }
    expect(await box.subjects({ subject: "[X]" })).toEqual([SECOND]);
    for (const subject of ["1%Ä", "second_", ".", ".*", "^T", "(", "\\", "[x", "a|b", "T{1}", "(?i)third"]) {
      const found = [FIRST, SECOND, THIRD].filter((each) => each?.toLowerCase().includes(subject.toLowerCase()));
      expect([subject, await box.subjects({ subject })]).toEqual([subject, found]);
    }
  });

  test("unread, which what was sent is not", async () => {
    expect(await box.subjects({ unread: "true" })).toEqual([SECOND, FIRST]);
    expect(await box.subjects({ unread: "false" })).toEqual([THIRD]);
  });

  test("thread_id; another mailbox's thread has no messages here", async () => {
    const other = await furnished();
    expect(await box.subjects({ thread_id: box.all[1]?.thread_id ?? "" })).toEqual([SECOND]);
    for (const thread_id of [other.all[0]?.thread_id ?? "", encodeId("thr", newId())]) {
      expect(await box.subjects({ thread_id })).toEqual([]);
    }
  });

  test("after and before, as times and as messages", async () => {
    const [third, second, first] = box.all;
    const at = (summary: Summary | undefined) => summary?.received_at ?? summary?.created_at ?? "";
    expect(await box.subjects({ after: second?.id ?? "" })).toEqual([THIRD]);
    expect(await box.subjects({ after: third?.id ?? "" })).toEqual([]);
    expect(await box.subjects({ after: at(first) })).toEqual([THIRD, SECOND]);
    expect(await box.subjects({ before: at(second) })).toEqual([FIRST]);
    expect(await box.subjects({ before: third?.id ?? "" })).toEqual([SECOND, FIRST]);
    expect(await box.subjects({ before: third?.id ?? "", limit: "1" })).toEqual([SECOND]);
    expect(await box.subjects({ after: first?.id ?? "", before: third?.id ?? "" })).toEqual([SECOND]);
    expect(await box.subjects({ after: at(first), before: at(third) })).toEqual([SECOND]);
    const eastern = new Date(new Date(at(second)).getTime() + 7_200_000).toISOString().replace("Z", "+02:00");
    expect(await box.subjects({ before: eastern })).toEqual([FIRST]);
    expect(await box.subjects({ after: "0000-01-01T00:00:00Z", before: "9999-12-31T23:59:59.999999Z" })).toHaveLength(
      3,
    );
    expect(await box.subjects({ before: "0001-01-01T00:00:00Z" })).toEqual([]);
  });

  test("label, and all of them together", async () => {
    const { key, subjects, all } = await furnished();
    const [third, second, first] = all;
    await client.patch(`/v1/messages/${first?.id}`, { labels: ["a b", "Später"] }, { key });
    await client.patch(`/v1/messages/${second?.id}`, { labels: ["a b"], read: true }, { key });
    await client.patch(`/v1/messages/${third?.id}`, { labels: ["a b"] }, { key });
    expect(await subjects({ label: "a b" })).toEqual([THIRD, SECOND, FIRST]);
    expect(await subjects({ label: " Später " })).toEqual([FIRST]);
    for (const label of ["später", "a", "%", "a b,Später"]) expect(await subjects({ label })).toEqual([]);
    expect(await subjects({ label: "a b", unread: "true", direction: "inbound" })).toEqual([FIRST]);
    expect(await subjects({ without_label: "Später" })).toEqual([THIRD, SECOND]);
    expect(await subjects({ without_label: "später" })).toEqual([THIRD, SECOND, FIRST]);
    expect(await subjects({ without_label: "a b" })).toEqual([]);
    expect(await subjects({ label: "a b", without_label: "Später", direction: "inbound" })).toEqual([SECOND]);
    await client.patch(`/v1/messages/${second?.id}`, { labels: [] }, { key });
    expect(await subjects({ without_label: "a b" })).toEqual([SECOND]);
    await client.patch(`/v1/messages/${second?.id}`, { labels: ["a b"] }, { key });
    const every = {
      from: "elise@else.example",
      subject: "ärger",
      to: "mail.example",
      thread_id: first?.thread_id ?? "",
    };
    const rest = { label: "a b", unread: "true", direction: "inbound", before: third?.created_at ?? "" };
    await expect.poll(() => subjects({ ...every, ...rest, q: "arger" })).toEqual([FIRST]);
    expect(await subjects({ ...every, ...rest, q: "arger", subject: "second" })).toEqual([]);
  });
});

describe("pages", () => {
  test("a cursor is good for its own filters and mailbox alone", async () => {
    const { list, key, inboxId } = await furnished();
    const other = await furnished();
    const page = (await list({ direction: "inbound", limit: "1" })).body;
    expect(page.data[0]?.subject).toBe(SECOND);
    const cursor = page.next_cursor ?? "";
    const next = (await list({ cursor, direction: "inbound", limit: "5" })).body;
    expect([next.data.map(({ subject }) => subject), next.next_cursor]).toEqual([[FIRST], null]);
    const byId = `/v1/inboxes/${inboxId}/messages?direction=inbound&cursor=${cursor}`;
    expect((await client.get(byId, { key })).status).toBe(200);
    const wrong: Record<string, string>[] = [{}, { direction: "outbound" }, { direction: "inbound", unread: "true" }];
    const answers = [
      ...(await Promise.all(wrong.map((query) => list({ ...query, cursor })))),
      await other.list({ direction: "inbound", cursor }),
    ] as unknown as Answer<Failure>[];
    for (const { status, body } of answers) expect([status, body.error.code]).toEqual([400, "invalid_cursor"]);
  });

  test("by any filter walk through all there is, each once", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    const subjects = Array.from({ length: 7 }, (_, i) => `mail ${i}`);
    for (const subject of subjects) await service.mail({ from: "w@else.example", to: address, subject });
    const path = inboxPath(address, "/messages");
    for (const query of [
      "",
      "from=w@else.example",
      "from=w@",
      "subject=mail",
      "unread=true",
      "before=2999-01-01T00:00:00Z",
    ]) {
      const seen: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const url: string = `${path}?limit=3&${query}${cursor && `&cursor=${cursor}`}`;
        const { body } = await client.get<Page<Summary>>(url, { key });
        seen.push(...body.data.map(({ subject }) => subject));
        cursor = body.next_cursor;
      }
      expect([query, seen]).toEqual([query, subjects.toReversed()]);
    }
  });
});

describe("400", () => {
  test("values that a filter does not take, by the filter's name", async () => {
    const long = "x".repeat(1_000);
    const bad: [string, string[]][] = [
      ["direction", ["", "Inbound", "both"]],
      ["unread", ["", "maybe", "1", "null", " true"]],
      ["from", ["", "a\nb", "\0", long]],
      ["to", ["", "\r", long]],
      ["subject", ["", "\0", long]],
      ["after", ["", "yesterday", "2026-13-01T00:00:00Z", "2026-01-01", "2026-01-01T00:00:00", "msg_x", "1", long]],
      ["before", ["", "thr_01jd3m9v5sf0b8j3mgz7qk2x4c", "2026-02-30T00:00:00Z"]],
      ["thread_id", ["", "x", "msg_01jd3m9v5sf0b8j3mgz7qk2x4c", "thr_", long]],
      ["label", ["", "  ", "a\nb", "x".repeat(101)]],
      ["without_label", ["", "a\nb", "x".repeat(101)]],
    ];
    for (const [name, values] of bad) {
      for (const value of values) {
        const { status, body } = (await box.list({ [name]: value })) as unknown as Answer<Failure>;
        expect([name, value, status, body.error?.issues?.[0]?.path]).toEqual([name, value, 400, name]);
      }
      const twice = `${inboxPath(box.address, "/messages")}?${name}=a&${name}=b`;
      expect((await client.get(twice, { key: box.key })).status).toBe(400);
    }
  });
});
