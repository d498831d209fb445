// The commands `keys activity | undo`.
import type { Command } from "commander";
import { addPaging, type Paging } from "./paging.ts";
import { printObject, printPage } from "./print.ts";
import { openSession, type Shell } from "./session.ts";

type UndoOptions = { since: string; dryRun?: boolean };

export function addKeyCommands(program: Command, shell: Shell): void {
  const keys = program.command("keys").description("show what an agent key changed, and undo it");
  addPaging(keys.command("activity").argument("<key>", "id of the key, akey_…"))
    .description("list what the key, or one that it issued, changed, newest first")
    .action((key: string, paging: Paging, command: Command) => activity(shell, command, key, paging));
  keys
    .command("undo")
    .argument("<key>", "id of a key that your key issued, akey_…")
    .requiredOption("--since <time>", "take back what it changed since this time")
    .option("--dry-run", "only say what an undo does")
    .description("revoke the key, and take back what it changed; what cannot be taken back is listed")
    .action(async (id: string, { since, dryRun = false }: UndoOptions, command: Command) => {
      const { client } = await openSession(shell, command);
      printObject(shell, command, await client.keys.undo.mutate({ id, since, dry_run: dryRun }));
    });
}

async function activity(shell: Shell, command: Command, id: string, { limit, cursor }: Paging): Promise<void> {
  const { client } = await openSession(shell, command);
  const page = await client.keys.activity.query({ id, limit, cursor });
  printPage(shell, command, page, [
    ["WHEN", (entry) => entry.created_at],
    ["VERB", (entry) => entry.verb],
    ["CHANGED", ({ changes: [first] }) => first?.name ?? first?.id ?? ""],
    ["CHANGES", (entry) => String(entry.change_count)],
    ["UNDONE", (entry) => entry.undone_at ?? ""],
  ]);
}
