// The commands `inboxes list | create | get | delete`.
import type { Command } from "commander";
import { addInbox, inboxOf } from "./arguments.ts";
import { addPaging, type Paging } from "./paging.ts";
import { printObject, printPage } from "./print.ts";
import { openSession, type Shell } from "./session.ts";

type CreateOptions = {
  username?: string;
  domain?: string;
  displayName?: string;
  clientId?: string;
  webhookUrl?: string;
};

export function addInboxCommands(program: Command, shell: Shell): void {
  const inboxes = program.command("inboxes").description("list, create, show and delete mailboxes");
  addPaging(inboxes.command("list"))
    .description("list mailboxes, newest first")
    .action((paging: Paging, command: Command) => list(shell, command, paging));
  inboxes
    .command("create")
    .option("--username <name>", "local part of the address; generated if omitted")
    .option("--domain <domain>", "one of the key's domains; the service's default if omitted")
    .option("--display-name <name>", "friendly name on outbound mail")
    .option("--client-id <id>", "idempotency key: the same id returns the same mailbox")
    .option("--webhook-url <url>", "register a signed webhook for this mailbox")
    .description("create a mailbox")
    .action((options: CreateOptions, command: Command) => create(shell, command, options));
  addInbox(inboxes.command("get"), "address or id")
    .description("show a mailbox")
    .action(async (inbox: string | undefined, options: { inbox?: string }, command: Command) => {
      const addr = inboxOf(inbox, options);
      const { client } = await openSession(shell, command);
      printObject(shell, command, await client.inboxes.get.query({ addr }));
    });
  addInbox(inboxes.command("delete"), "address or id")
    .description("delete a mailbox and its mail; this cannot be undone")
    .action(async (inbox: string | undefined, options: { inbox?: string }, command: Command) => {
      const addr = inboxOf(inbox, options);
      const { client } = await openSession(shell, command);
      printObject(shell, command, await client.inboxes.remove.mutate({ addr }));
    });
}

async function list(shell: Shell, command: Command, { limit, cursor }: Paging): Promise<void> {
  const { client } = await openSession(shell, command);
  const page = await client.inboxes.list.query({ limit, cursor });
  printPage(shell, command, page, [
    ["ADDRESS", (inbox) => inbox.address],
    ["STATUS", (inbox) => inbox.status],
    ["ID", (inbox) => inbox.id],
  ]);
}

async function create(shell: Shell, command: Command, options: CreateOptions): Promise<void> {
  const { client } = await openSession(shell, command);
  const inbox = await client.inboxes.create.mutate({
    username: options.username,
    domain: options.domain,
    display_name: options.displayName,
    client_id: options.clientId,
    inbound_webhook_url: options.webhookUrl,
  });
  printObject(shell, command, inbox);
}
