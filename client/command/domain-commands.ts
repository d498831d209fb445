// The commands `domains list | add | verify | get`.
import type { Command } from "commander";
import type { RouterOutputs } from "../index.ts";
import { addPaging, type Paging } from "./paging.ts";
import { type Column, isJson, printObject, printPage, tableOf } from "./print.ts";
import { openSession, type Session, type Shell } from "./session.ts";

type Domain = RouterOutputs["domains"]["get"];
type DnsRecord = Domain["records"][number];

const COLUMNS: Column<Domain>[] = [
  ["DOMAIN", ({ domain }) => domain],
  ["STATUS", ({ status }) => status],
  ["SENDING", ({ sending }) => sending.status],
  ["RECEIVING", ({ receiving }) => receiving.status],
];
const RECORD_COLUMNS: Column<DnsRecord>[] = [
  ["STATUS", ({ status }) => status],
  ["TYPE", ({ type }) => type],
  ["NAME", ({ name }) => name],
];

export function addDomainCommands(program: Command, shell: Shell): void {
  const domains = program.command("domains").description("list, add, check and show domains");
  addPaging(domains.command("list"))
    .description("list the domains of the organization, newest first")
    .action(async ({ limit, cursor }: Paging, command: Command) => {
      const { client } = await openSession(shell, command);
      printPage(shell, command, await client.domains.list.query({ limit, cursor }), COLUMNS);
    });
  const single: [name: string, description: string, call: (session: Session, domain: string) => Promise<Domain>][] = [
    [
      "add",
      "add a domain, and show the DNS records to publish",
      ({ client }, domain) => client.domains.create.mutate({ domain }),
    ],
    ["verify", "check the DNS records now", ({ client }, domain) => client.domains.verify.mutate({ domain })],
    ["get", "show a domain and its DNS records", ({ client }, domain) => client.domains.get.query({ domain })],
  ];
  for (const [name, description, call] of single) {
    domains
      .command(name)
      .argument("<domain>")
      .description(description)
      .action(async (domain: string, _options, command: Command) =>
        printDomain(shell, command, await call(await openSession(shell, command), domain)),
      );
  }
}

/** As fields, the records as a table, and the whole value of each record, which a person copies. */
function printDomain(shell: Shell, command: Command, domain: Domain): void {
  const { id, status, ownership, sending, receiving, records } = domain;
  const parts = { ownership: ownership.status, sending: sending.status, receiving: receiving.status };
  printObject(shell, command, domain, { domain: domain.domain, id, status, ...parts });
  if (isJson(shell, command)) return;
  shell.stdout.write(`\n${tableOf(records, RECORD_COLUMNS)}\n`);
  for (const { status: found, type, name, value, priority, fix } of records) {
    if (found === "found") continue;
    shell.stdout.write(`\n`);
    printObject(
      shell,
      command,
      {},
      { record: `${name} ${type}`, value: [priority, value].filter((part) => part !== null).join(" "), fix },
    );
  }
}
