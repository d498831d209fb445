// MAIL FROM and RCPT TO as controllers, printers and old clients write them.
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { api } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));
const { agentKey: key } = await service.newOrganization();
await client.createInbox(key, { username: "desk" });

/** The codes of the replies to commands, each sent after the reply to the one before. */
async function codesOf(commands: string[]): Promise<string[]> {
  const socket = connect(service.smtpPort, "127.0.0.1");
  const left = ["EHLO client.example", ...commands];
  const codes: string[] = [];
  for await (const line of createInterface({ input: socket })) {
    if (line[3] === "-") continue;
    codes.push(line.slice(0, 3));
    const next = left.shift();
    if (next === undefined) break;
    socket.write(`${next}\r\n`);
  }
  socket.destroy();
  return codes.slice(2);
}

const SENDER = "MAIL FROM:<raid@plant.example>";
const RECIPIENT = "RCPT TO:<desk@mail.example>";

test.each([
  "MAIL FROM:raid@plant.example",
  "mail from: raid@plant.example SIZE=100",
  "MAIL FROM: < raid@plant.example >",
  'MAIL FROM:<"raid unit"@plant.example> SIZE=100',
  'MAIL FROM:<" "@plant.example>',
  'MAIL FROM:<"a>b@c"@plant.example>',
  "MAIL FROM:<>",
  "MAIL FROM: <>",
  "MAIL FROM:<дом@почта.example> SMTPUTF8",
  "MAIL FROM:<δοκιμή@xn--jxalpdlp.example> SMTPUTF8 BODY=8BITMIME",
  "MAIL FROM:用户@例子.example SMTPUTF8",
  "MAIL FROM:<josé@café.example>",
  "Mail From:<printer..3@plant.example>",
  "MAIL FROM:raid.@plant.example",
  "MAIL FROM :<raid@plant.example>",
  "MAIL FROM:<@hop.example,@hop2.example:raid@plant.example>",
  "MAIL FROM:<ups+room_1/a@plant.example> RET=HDRS ENVID=x",
])("the sender is accepted: %s", async (command) => {
  expect(await codesOf([command, RECIPIENT])).toEqual(["250", "250"]);
});

test.each([
  "RCPT TO:desk@mail.example",
  'RCPT TO:<"desk"@mail.example>',
  'RCPT TO:<"d\\esk"@mail.example> NOTIFY=NEVER',
  'RCPT TO:"desk+tag"@mail.example',
  "RCPT TO: desk@mail.example",
  "rcpt to:<DESK@Mail.Example>",
  'RCPT TO:<"Desk+a b"@mail.example>',
  'RCPT TO:<@hop.example:"desk"@mail.example>',
  "RCPT TO:<desk+ярлык@mail.example>",
])("the recipient is the mailbox: %s", async (command) => {
  expect(await codesOf([SENDER, command])).toEqual(["250", "250"]);
});

test.each([
  "RCPT TO:<desk@mail.example> <far@else.example>",
  "RCPT TO:<desk@mail.example> NOTIFY=NEVER <far@else.example>",
])("the recipient is refused: %s", async (command) => {
  expect(await codesOf([SENDER, command])).toEqual(["250", "501"]);
});

test.each([
  "MAIL FROM:",
  "MAIL FROM:raid",
  "MAIL FROM:a@b@c.example",
  "MAIL FROM:<a@b.example",
  "MAIL FROM:a@b.example>",
  "MAIL FROM:<a@b.example>x",
  'MAIL FROM:"a"b@c.example',
  "MAIL FROM:<raid@plant.example> <alarm@plant.example>",
  "MAIL FROM:raid@plant.example SIZE=100 alarm@plant.example",
])("the sender is refused: %s", async (command) => expect(await codesOf([command])).toEqual(["501"]));
