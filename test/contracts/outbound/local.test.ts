// OUTBOUND=local: the contract, with an in-memory receiver as the mailboxes; then what is its own, captured mail.
import { expect, test } from "vitest";
import { localOutbound } from "#server/adapters/local-outbound.ts";
import { createSimulator } from "#server/adapters/simulator.ts";
import { mailOf, outboundContract, type Rig, readTaken } from "./contract.ts";

type Failure = Parameters<Rig["fail"]>[0] | undefined;

const SIMULATOR = createSimulator({
  returned: async () => {},
  received: async () => {},
  lost: () => {},
  now: () => new Date(),
});

/** Mailboxes in memory that know a mail by its Message-ID and body, as messages/receive does. */
function startMailboxes() {
  const stored = new Map<string, { to: string[]; raw: Buffer }>();
  let failure: Failure;
  const outbound = localOutbound({
    simulator: SIMULATOR,
    isHosted: (domain) => domain === "mail.example.com" || failure === "refuse",
    async deliver({ recipients: [address = ""], raw }) {
      if (failure === "busy") throw new Error("the database is away");
      if (failure === "refuse" || !address.endsWith("@elsewhere.example"))
        return { outcome: "unknown_recipient", address };
      const text = raw.toString();
      const id = `${/^Message-ID: (.*)$/m.exec(text)?.[1]} ${text.slice(text.indexOf("\r\n\r\n"))}`;
      const mail = stored.get(id) ?? { to: [], raw };
      if (!mail.to.includes(address)) mail.to.push(address);
      stored.set(id, mail);
      if (failure === "silent") throw new Error("the connection broke after the commit");
      return { outcome: "stored", ids: [id] };
    },
  });
  return { outbound, stored, setFailure: (how: Failure) => (failure = how) };
}

outboundContract("local", async () => {
  const { outbound, stored, setFailure } = startMailboxes();
  return {
    outbound,
    taken: () => Promise.all([...stored.values()].map(({ to, raw }) => readTaken(to, raw))),
    fail: setFailure,
    recover: () => setFailure(undefined),
    close: async () => {},
  };
});

test("a message that goes round in circles is refused", async () => {
  const outbound = localOutbound({
    simulator: SIMULATOR,
    isHosted: () => true,
    deliver: async () => ({ outcome: "looping" }),
  });
  expect(await outbound.send(mailOf())).toMatchObject({ outcome: "refused", error: "554 5.4.6 Routing loop" });
});

test("mail to the outside is captured and says so; a wrong address at our own domain is refused", async () => {
  const { outbound } = startMailboxes();
  const to = ["ada@elsewhere.example", "someone@outside.example", "nobody@mail.example.com"];
  expect(await outbound.send(mailOf({ to }))).toMatchObject({
    outcome: "sent",
    recipients: [
      { address: to[0], outcome: "delivered" },
      { address: to[1], outcome: "captured", detail: expect.stringContaining("OUTBOUND=local") },
      { address: to[2], outcome: "refused", detail: "550 5.1.1 No such mailbox here" },
    ],
  });
  expect(await outbound.send(mailOf({ to: ["nobody@mail.example.com"] }))).toMatchObject({ outcome: "refused" });
  expect(await outbound.send(mailOf({ to: ["someone@outside.example"] }))).toMatchObject({ outcome: "sent" });
});

test("what is delivered has lines that end in CRLF and none longer than 998 octets", async () => {
  const { outbound, stored } = startMailboxes();
  await outbound.send(
    mailOf({
      text: `one\ntwo\rthree\r\n${"x".repeat(5000)}`,
      subject: "word ".repeat(600),
      html: `<p>${"y".repeat(5000)}</p>`,
    }),
  );
  const raw = [...stored.values()][0]?.raw.toString("latin1") ?? "";
  expect(/[\r\n]/.test(raw.replaceAll("\r\n", ""))).toBe(false);
  expect(Math.max(...raw.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(998);
  expect(raw).toMatch(/^Date: Fri, 20 Nov 2026 09:30:00 \+0000\r$/m);
});
