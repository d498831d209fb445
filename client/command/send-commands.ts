// The commands `send`, `reply`, `cancel` and `move`.
import type { Command } from "commander";
import { addInbox, collect, inboxOf, readInput, textOrInput } from "./arguments.ts";
import { attach } from "./attach.ts";
import { EXIT } from "./exit-codes.ts";
import { printObject } from "./print.ts";
import { CommandProblem } from "./problem.ts";
import { openSession, type Session, type Shell } from "./session.ts";

const NO_TEXT = "The message has no text. Add --text or --html, or pass the text on the standard input.";

type Bodies = {
  text?: string;
  html?: string;
  attach?: string[];
  sendAt?: string;
  replyBy?: string;
  idempotencyKey?: string;
};
type SendOptions = Bodies & {
  inbox?: string;
  to: string[];
  cc?: string[];
  bcc?: string[];
  subject?: string;
  replyTo?: string;
};
type ReplyOptions = Bodies & { all?: boolean; cc?: string[]; bcc?: string[]; expectLast?: string };

function addBodies(command: Command): Command {
  return command
    .option("--text <text>", "plain text; `-` or nothing reads it from the standard input")
    .option("--html <html>", "HTML; `-` reads it from the standard input")
    .option("--send-at <time>", "when to send it, such as 2026-11-21T09:30:00Z")
    .option("--reply-by <time>", "when a reply is expected: if there is none, the event message.unanswered says so")
    .option("--attach <file>", "file to attach; may be repeated", collect)
    .option("--idempotency-key <key>", "the same key and content send one message");
}

/** Without an option, the text is what another program writes. */
async function readBodies(shell: Shell, { text, html }: Bodies): Promise<{ text?: string; html?: string }> {
  if (text === "-" && html === "-") throw new CommandProblem(EXIT.usage, "Only one of --text and --html can be `-`.");
  if (text !== undefined || html !== undefined) {
    return {
      text: text === undefined ? undefined : await textOrInput(shell, text),
      html: html === undefined ? undefined : await textOrInput(shell, html),
    };
  }
  const isTerminal = "isTTY" in shell.stdin && shell.stdin.isTTY === true;
  const piped = isTerminal ? "" : await readInput(shell);
  if (!piped) throw new CommandProblem(EXIT.usage, NO_TEXT);
  return { text: piped };
}

const attachmentsOf = (session: Session, { attach: paths = [], idempotencyKey }: Bodies) =>
  attach(session, paths, idempotencyKey !== undefined);

export function addSendCommands(program: Command, shell: Shell): void {
  addBodies(
    addInbox(program.command("send"), "the sending mailbox, by address or id")
      .requiredOption("--to <address>", "recipient; may be repeated", collect)
      .option("--cc <address>", "recipient of a copy; may be repeated", collect)
      .option("--bcc <address>", "hidden recipient; may be repeated", collect)
      .option("--subject <subject>", "subject line")
      .option("--reply-to <address>", "address for replies"),
  )
    .description("send a message")
    .action((inbox: string | undefined, options: SendOptions, command: Command) =>
      send(shell, command, inboxOf(inbox, options), options),
    );

  addBodies(
    program
      .command("reply")
      .argument("<message>", "id of the message to reply to")
      .option("--all", "also send to everyone in To and Cc")
      .option("--cc <address>", "further recipient of a copy; may be repeated", collect)
      .option("--bcc <address>", "hidden recipient; may be repeated", collect)
      .option("--expect-last <message>", "send only while this is the newest message of the thread"),
  )
    .description("reply in the thread of a message")
    .action((id: string, options: ReplyOptions, command: Command) => reply(shell, command, id, options));

  program
    .command("cancel")
    .argument("<message>", "id of a message that has not left")
    .description("cancel a message that is scheduled, held or queued")
    .action(async (id: string, _options: object, command: Command) => {
      const { client } = await openSession(shell, command);
      printObject(shell, command, await client.messages.cancel.mutate({ id }));
    });

  program
    .command("move")
    .argument("<message>", "id of a message that is scheduled")
    .argument("<time>", "when to send it, such as 2026-11-21T09:30:00Z")
    .description("change the time of a scheduled message")
    .action(async (id: string, send_at: string, _options: object, command: Command) => {
      const { client } = await openSession(shell, command);
      printObject(shell, command, await client.messages.update.mutate({ id, send_at }));
    });
}

async function send(shell: Shell, command: Command, addr: string, options: SendOptions): Promise<void> {
  const session = await openSession(shell, command);
  const sent = await session.client.messages.send.mutate({
    addr,
    to: options.to,
    cc: options.cc,
    bcc: options.bcc,
    subject: options.subject,
    reply_to: options.replyTo,
    send_at: options.sendAt,
    reply_by: options.replyBy,
    idempotency_key: options.idempotencyKey,
    ...(await readBodies(shell, options)),
    attachments: await attachmentsOf(session, options),
  });
  printObject(shell, command, sent);
}

async function reply(shell: Shell, command: Command, id: string, options: ReplyOptions): Promise<void> {
  const session = await openSession(shell, command);
  const sent = await session.client.messages.reply.mutate({
    id,
    reply_all: options.all,
    cc: options.cc,
    bcc: options.bcc,
    expected_last_message_id: options.expectLast,
    send_at: options.sendAt,
    reply_by: options.replyBy,
    idempotency_key: options.idempotencyKey,
    ...(await readBodies(shell, options)),
    attachments: await attachmentsOf(session, options),
  });
  printObject(shell, command, sent);
}
