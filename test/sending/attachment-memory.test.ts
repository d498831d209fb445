// Memory of attachments that are loaded for a message: counted before they are loaded, and given back whatever happens.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import type { Failure, Sent } from "#test/support/api.ts";
import { startReplyRig } from "./reply-rig.ts";

const TO = "boss@else.example";
const ORGANIZATION_BYTES = 67_108_864;
const FILE = { filename: "a.txt", content_type: "text/plain", content_base64: "YWJj" };
const NOT_A_MESSAGE = { expected_last_message_id: "x" };
const rig = await startReplyRig();
const { service, client } = rig;
afterAll(rig.stop);

async function newSender() {
  const { agentKey: key, organizationId } = await service.newOrganization();
  const inbox = await rig.inboxFor(key);
  return {
    ...inbox,
    received: () => inbox.receive({ attachments: [{ filename: "b.txt", content: "received" }] }),
    upload: async (bytes: number) => {
      const { body } = await client.call<{ id: string }>("POST", "/v1/uploads?filename=a", {
        key,
        body: Buffer.alloc(bytes),
      });
      return { upload_id: body.id };
    },
    draft: async (attachments: object[]) => {
      const json = { inbox: inbox.address, to: TO, text: "x", attachments };
      return (await client.post<{ id: string; revision: number }>("/v1/drafts", json, { key })).body;
    },
    sendDraft: ({ id, revision }: { id: string; revision: number }) =>
      client.post<Sent & Failure>(`/v1/drafts/${id}/send`, { revision }, { key }),
    dryRun: (id: string, json: object) =>
      client.post(`/v1/messages/${id}/forward?dry_run=true`, { to: TO, ...json }, { key }),
    /** Takes the whole attachment memory of this organization. */
    fill() {
      const share = service.system.attaching.open(decodeId("org", organizationId));
      expect(share.take(ORGANIZATION_BYTES)).toBeUndefined();
      return share.release;
    },
  };
}

describe("is given back", () => {
  test("when a forward is refused after its files were named, however often", async () => {
    const sender = await newSender();
    const [id, file] = [await sender.receive(), await sender.upload(14_000_000)];
    for (let i = 0; i < 6; i += 1) {
      const { body } = await sender.forward(id, { to: TO, attachments: [file], ...NOT_A_MESSAGE });
      expect(body.error.code).toBe("invalid_request");
    }
    expect((await sender.forward(id, { to: TO, attachments: [file] })).status).toBe(202);
  });

  test("when a dry run refuses, and when it does not", async () => {
    const sender = await newSender();
    const [id, file] = [await sender.receive(), await sender.upload(14_000_000)];
    for (let i = 0; i < 6; i += 1) {
      const { body } = await sender.dryRun(id, { attachments: [file], ...NOT_A_MESSAGE });
      expect(body).toMatchObject({ refusals: [{ code: "invalid_request" }] });
    }
    for (let i = 0; i < 6; i += 1) {
      expect((await sender.dryRun(id, { attachments: [file] })).body).toMatchObject({ would_send: true });
    }
    expect(service.system.attaching.used).toBe(0);
  });

  test("when a draft is stored, changed, refused and sent", async () => {
    const sender = await newSender();
    const file = await sender.upload(1_000);
    const draft = await sender.draft([file]);
    const path = `/v1/drafts/${draft.id}`;
    const change = { revision: draft.revision, attachments: [file, FILE] };
    expect((await client.patch(path, change, { key: sender.key })).status).toBe(200);
    expect((await client.patch(path, change, { key: sender.key })).status).toBe(409);
    expect((await sender.sendDraft({ ...draft, revision: draft.revision + 1 })).status).toBe(202);
    expect(service.system.attaching.used).toBe(0);
  });
});

describe("is counted before", () => {
  test("the files of a mail that is forwarded are loaded", async () => {
    const sender = await newSender();
    const id = await sender.received();
    await sender.read(id);
    const release = sender.fill();
    const { status, body } = await sender.forward(id, { to: TO });
    expect([status, body.error?.code]).toEqual([503, "unavailable"]);
    release();
    expect((await sender.forward(id, { to: TO })).status).toBe(202);
  });

  test("those of a message of one's own are", async () => {
    const sender = await newSender();
    const { body: sent } = await sender.send({ to: TO, attachments: [FILE] });
    const release = sender.fill();
    expect((await sender.forward(sent.id, { to: TO })).status).toBe(503);
    release();
  });

  test("those of a draft are, and the draft can be sent later", async () => {
    const sender = await newSender();
    const draft = await sender.draft([FILE]);
    const release = sender.fill();
    expect((await sender.sendDraft(draft)).body.error?.code).toBe("unavailable");
    release();
    expect((await sender.sendDraft(draft)).status).toBe(202);
  });
});
