// What every provider's events do, however they are signed: one suite, run over all adapters by the tests beside it.
import { createHash } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { encodeId } from "#server/base/ids.ts";
import type { ProviderName } from "#server/base/ports/provider-events.ts";
import { size } from "#test/sizes.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

const ADA = "ada@elsewhere.example";
const BOB = "bob@elsewhere.example";
const MINUTE_MS = 60_000;
const FORGED_EVENTS = size("FORGED_EVENTS");

export type Kind = "delivered" | "hard" | "soft" | "complained" | "failed" | "delayed" | "unsubscribed" | "other";
/** A sent mail as the relay has it. `mark`: the value of the header by which its events name the message. */
export type Taken = { id: string; to: string; messageId: string; returnPath: string; mark: string | undefined };
export type Posted = { body: string; headers: Record<string, string> };
/** `id`: the same for a copy. `isNewKey`: signs with the second of two keys that are valid while one replaces the other. */
export type How = { id: string; at: Date; isNewKey?: boolean };

export type Vendor = {
  name: ProviderName;
  settings: Record<string, string>;
  options?: Parameters<typeof startTestService>[1];
  kinds: Kind[];
  /** A signed request about one recipient. */
  report(kind: Kind, mail: Taken, how: How): Posted;
  /** The same with something wrong, of which there are several kinds. */
  forge(posted: Posted, nth: number): Posted;
  /** What the relay has of the message with this id, once for each recipient. */
  taken(id: string, to: string[]): Taken[];
  close(): Promise<void>;
};

const OUTCOMES = {
  delivered: { status: "delivered", event: "message.delivered" },
  hard: { status: "bounced", event: "message.bounced", smtp_code: 550, enhanced_code: "5.1.1" },
  soft: { status: "bounced", event: "message.bounced", smtp_code: 552, enhanced_code: "5.2.2" },
  complained: { status: "complained", event: "message.complained" },
  failed: { status: "failed", event: "message.failed" },
} as const;

type Recipient = { address: string; status: string; reason: string | null };
type Message = { id: string; status: string; recipients: Recipient[] };
type Logged = { event: string; message: { recipient: string | null } };

let made = 0;

export function providerEventsContract(name: ProviderName, start: () => Promise<Vendor>) {
  describe(`events of ${name}`, async () => {
    const vendor = await start();
    const service = await startTestService({ ROLES: "web,worker", ...vendor.settings }, vendor.options);
    const client = api(service);
    afterAll(async () => {
      await client.close();
      await service.stop();
      await vendor.close();
    });

    async function post({ body, headers }: Posted) {
      const url = `${service.url}/v1/providers/${name}/events`;
      const answer = await fetch(url, { method: "POST", headers, body });
      const { results } = (await answer.json()) as { results?: Record<string, number> };
      return { status: answer.status, results };
    }

    async function send(to: string[] = [ADA]) {
      const { agentKey: key } = await service.newOrganization();
      const { address } = await client.createInbox(key);
      const { body } = await client.post<{ id: string }>(inboxPath(address, "/send"), { to, text: "x" }, { key });
      const read = async () => (await client.get<Message>(`/v1/messages/${body.id}`, { key })).body;
      await eventually(async () => expect((await read()).status).toBe("sent"));
      const mails = vendor.taken(body.id, to);
      const [first] = mails;
      if (!first) throw new Error("the relay has no such mail");
      const request = (kind: Kind, how: Partial<How> & { to?: string } = {}) => {
        made += 1;
        const id = how.id ?? createHash("sha256").update(`${name} ${made}`).digest("hex").slice(0, 50);
        const mail = { ...(mails.find((each) => each.to === how.to) ?? first), to: how.to ?? first.to };
        return vendor.report(kind, mail, { at: new Date(), ...how, id });
      };
      const report = (kind: Kind, how: Parameters<typeof request>[1] = {}) => post(request(kind, how));
      const logged = async () => (await client.get<Page<Logged>>("/v1/events", { key })).body.data;
      return { key, address, id: body.id, read, logged, request, report };
    }

    async function suppressedBy(id: string): Promise<string[]> {
      const rows = await service.system.sql<{ address: string; message_id: string | null }[]>`
        select address, message_id from suppressions`;
      return rows.filter((row) => row.message_id && encodeId("msg", row.message_id) === id).map((row) => row.address);
    }

    test.each(Object.keys(OUTCOMES).filter((kind) => vendor.kinds.includes(kind as Kind)) as (keyof typeof OUTCOMES)[])(
      "%s reaches the recipient, the log and the suppressions",
      async (kind) => {
        const { id, read, logged, report } = await send();
        const { event, ...outcome } = OUTCOMES[kind];
        expect(await report(kind)).toEqual({ status: 200, results: { recorded: 1 } });
        expect(await read()).toMatchObject({ status: outcome.status, recipients: [{ address: ADA, ...outcome }] });
        expect((await logged()).map((each) => each.event)).toEqual([event]);
        expect(await suppressedBy(id)).toEqual(["hard", "complained"].includes(kind) ? [ADA] : []);
      },
    );

    test("a delay changes only the reason", async () => {
      const { read, logged, report } = await send();
      await report("delayed");
      const reason = expect.stringMatching(/^delayed: ./);
      expect(await read()).toMatchObject({ status: "sent", recipients: [{ status: "sent", reason }] });
      expect(await logged()).toEqual([]);
    });

    test.runIf(vendor.kinds.includes("unsubscribed"))("an unsubscription stops mail of the mailbox", async () => {
      const { key, address, read, report } = await send();
      expect(await report("unsubscribed")).toEqual({ status: 200, results: { recorded: 1 } });
      expect((await read()).status).toBe("sent");
      const again = await client.post(inboxPath(address, "/send"), { to: ADA, text: "x" }, { key });
      expect(again).toMatchObject({ status: 422, body: { error: { code: "recipient_suppressed" } } });
    });

    test("another kind of event changes nothing", async () => {
      const { read, logged, report } = await send();
      expect(await report("other")).toEqual({ status: 200, results: { ignored: 1 } });
      expect([(await read()).status, await logged()]).toEqual(["sent", []]);
    });

    test("an event that arrives 20 times concurrently is recorded once", async () => {
      const { logged, request } = await send();
      const posted = request("hard");
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(posted)));
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
      expect(answers.filter(({ results }) => results?.recorded === 1)).toHaveLength(1);
      expect(await logged()).toHaveLength(1);
    });

    test("events out of order change nothing back", async () => {
      const { read, logged, report } = await send();
      await report("complained", { at: new Date(Date.now() - MINUTE_MS) });
      await report("delivered", { at: new Date(Date.now() - 2 * MINUTE_MS) });
      await report("delayed", { at: new Date(Date.now() - 2 * MINUTE_MS) });
      expect((await read()).status).toBe("complained");
      expect((await logged()).map(({ event }) => event)).toEqual(["message.complained"]);
    });

    test("an event changes only the recipient that it names", async () => {
      const { id, read, report } = await send([ADA, BOB]);
      expect((await report("hard", { to: BOB })).results).toEqual({ recorded: 1 });
      expect((await read()).recipients.map(({ status }) => status)).toEqual(["sent", "bounced"]);
      expect(await suppressedBy(id)).toEqual([BOB]);
    });

    test.skipIf(name === "resend")("an event about someone who was not written to changes nothing", async () => {
      const { id, read, report } = await send();
      expect(await report("hard", { to: "eve@elsewhere.example" })).toEqual({ status: 200, results: { unknown: 1 } });
      expect([(await read()).status, await suppressedBy(id)]).toEqual(["sent", []]);
    });

    test("an event about a deleted message still suppresses the address", async () => {
      const { key, id, logged, report } = await send();
      const path = `/v1/messages/${id}`;
      expect((await client.call("DELETE", path, { key })).status).toBe(200);
      expect((await report("hard")).results).toEqual({ recorded: 1 });
      expect(await suppressedBy(id)).toEqual([ADA]);
      expect(await logged()).toEqual([]);
    });

    test("an event about a message of another service is answered with 200", async () => {
      const mail = {
        id: "e-other",
        to: ADA,
        messageId: "other@example.com",
        returnPath: "x@example.com",
        mark: undefined,
      };
      const how = { id: "a".repeat(50), at: new Date() };
      expect(await post(vendor.report("hard", mail, how))).toEqual({ status: 200, results: { unknown: 1 } });
    });

    test("the new key of the signature counts beside the old one", async () => {
      const { report } = await send();
      expect((await report("delivered", { isNewKey: true })).results).toEqual({ recorded: 1 });
    });

    test(`${FORGED_EVENTS} forged events change nothing`, async () => {
      const { id, read, logged, request } = await send();
      const kinds = vendor.kinds.filter((kind) => kind !== "other");
      for (let nth = 0; nth < FORGED_EVENTS; nth += 1) {
        const kind = kinds[nth % kinds.length] as Kind;
        expect((await post(vendor.forge(request(kind), nth))).status).toBe(401);
      }
      expect([(await read()).status, await logged(), await suppressedBy(id)]).toEqual(["sent", [], []]);
    });

    test("a body that is too large is refused", async () => {
      const { request } = await send();
      const { headers } = request("hard");
      expect((await post({ headers, body: "x".repeat(3 * 1024 * 1024) })).status).toBe(413);
    });

    test("without its setting the path does not exist", async () => {
      const other = await startTestService({ ROLES: "web" }, { database: service.database });
      const [known, unknown] = await Promise.all(
        [name, "unknown"].map((each) =>
          fetch(`${other.url}/v1/providers/${each}/events`, { method: "POST", body: "{}" }),
        ),
      );
      expect([known?.status, unknown?.status]).toEqual([404, 404]);
      await other.stop();
    });
  });
}

/** Another character at the `nth` place. */
export function changed(text: string, nth: number): string {
  const at = (nth * 7) % text.length;
  return `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;
}
