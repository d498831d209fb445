// The commands `messages list | get | search`.
import type { Command } from "commander";
import type { RouterInputs, RouterOutputs } from "../index.ts";
import { addInbox, inboxOf, type Kind, kindOption } from "./arguments.ts";
import { addPaging, type Paging } from "./paging.ts";
import { type Column, printObject, printPage } from "./print.ts";
import { openSession, type Shell } from "./session.ts";

type Row = RouterOutputs["messages"]["search"]["data"][number];
type Filters = Paging & {
  inbox?: string;
  unread?: boolean;
  from?: string;
  to?: string;
  kind?: Kind;
  subject?: string;
};
type Search = Paging & { inbox?: string };

const COLUMNS: Column<Row>[] = [
  ["INBOX", (message) => message.inbox],
  ["DATE", (message) => message.received_at ?? message.created_at],
  ["FROM", (message) => message.from],
  ["SUBJECT", (message) => message.subject],
  ["STATUS", (message) => message.status],
  ["ID", (message) => message.id],
];

export function addMessageCommands(program: Command, shell: Shell): void {
  const messages = program.command("messages").description("list, show and search messages");
  addPaging(addInbox(messages.command("list"), "address or id; all mailboxes if omitted"))
    .option("--unread", "only unread messages")
    .option("--from <text>", "only messages from this sender")
    .option("--to <text>", "only messages to this recipient")
    .addOption(kindOption("only messages of this kind"))
    .option("--subject <text>", "only messages whose subject contains this text")
    .description("list messages, newest first")
    .action((argument: string | undefined, options: Filters, command: Command) => {
      const { limit, cursor, unread, from, to, kind, subject } = options;
      const inbox = (argument ?? options.inbox) ? inboxOf(argument, options) : undefined;
      return list(shell, command, { inbox, limit, cursor, unread, from, to, kind, subject });
    });
  addPaging(messages.command("search"))
    .argument("<query>", 'words or beginnings of words that must occur; "a phrase", `or` and `-word` work')
    .option("--inbox <inbox>", "address or id; all mailboxes if omitted")
    .description("search messages, newest first")
    .action((q: string, { inbox, limit, cursor }: Search, command: Command) =>
      list(shell, command, { inbox, q, limit, cursor }),
    );
  messages
    .command("get")
    .argument("<message>", "id")
    .description("show a message")
    .action((id: string, _options, command: Command) => get(shell, command, id));
}

async function list(shell: Shell, command: Command, input: RouterInputs["messages"]["search"]): Promise<void> {
  const { client } = await openSession(shell, command);
  printPage(shell, command, await client.messages.search.query(input), COLUMNS);
}

async function get(shell: Shell, command: Command, id: string): Promise<void> {
  const { client } = await openSession(shell, command);
  const message = await client.messages.get.query({ id });
  const { from, to, subject, status, thread_id, attachments, security } = message;
  const text = message.safe_text?.text ?? message.text;
  const risk = security?.risk ?? null;
  const files = attachments.map(({ filename, id: file }) => `${filename ?? "unnamed"} ${file}`).join(", ");
  printObject(shell, command, message, { id, from, to: to.join(", "), subject, status, thread_id, risk, files, text });
}
