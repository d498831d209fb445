// Fields of drafts that are removed again: empty values clear them, null leaves them as they are.
import { afterAll, describe, expect, test } from "vitest";
import { startDraftsRig } from "./drafts-rig.ts";

const rig = await startDraftsRig();
const { client, writer } = rig;
afterAll(rig.stop);

describe("a draft", () => {
  test.each(["REST", "tRPC"])("an empty value clears a field, and null leaves it as it is: %s", async (door) => {
    const { create, patch, get, receive, key } = await writer();
    const in_reply_to = await receive({ subject: "Question" });
    const filled = {
      to: ["a@else.example"],
      cc: ["b@else.example"],
      bcc: ["c@else.example"],
      subject: "One",
      text: "Hello",
      html: "<p>Hello</p>",
      reply_to: "d@else.example",
      in_reply_to,
      expected_last_message_id: in_reply_to,
    };
    const { id } = (await create(filled)).body;
    const change = (json: object) =>
      door === "REST" ? patch(id, json) : client.post("/trpc/drafts.update", { id, ...json }, { key });
    const names = Object.keys(filled);
    const nulls = Object.fromEntries(names.map((name) => [name, null]));
    expect((await change({ revision: 1, ...nulls })).status).toBe(200);
    expect((await get(id)).body).toMatchObject({ revision: 2, ...filled });
    const { to, cc, bcc, ...texts } = filled;
    const empty = Object.fromEntries(Object.keys(texts).map((name) => [name, ""]));
    expect((await change({ revision: 2, ...empty, to: [], cc: "", bcc: [] })).status).toBe(200);
    const cleared = Object.fromEntries(Object.keys(texts).map((name) => [name, null]));
    expect((await get(id)).body).toMatchObject({ revision: 3, ...cleared, to: [], cc: [], bcc: [] });
  });

  test("without its recipient is not sent, and an answer goes to the writer again", async () => {
    const { create, patch, sendDraft, receive } = await writer();
    const message = await receive({ subject: "Question" });
    const plain = (await create({ to: "a@else.example", text: "x" })).body;
    await patch(plain.id, { revision: 1, to: [] });
    const refused = await sendDraft(plain.id, { revision: 2 });
    expect([refused.status, refused.body.error.message]).toEqual([400, "to: a recipient is needed"]);
    const given = { in_reply_to: message, to: "a@else.example", subject: "Other", text: "x" };
    const answer = (await create(given)).body;
    await patch(answer.id, { revision: 1, to: "", subject: "" });
    const { id } = (await sendDraft(answer.id, { revision: 2 })).body;
    expect(await rig.departed(id)).toMatchObject({ subject: "Re: Question", envelopeTo: ["writer@else.example"] });
  });
});
