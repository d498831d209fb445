// The operators' commands for stored mail: `messages`, `storage` and `blobs`.
import type { Command } from "commander";
import { moveBlobs } from "../../blobs/move.ts";
import { sweepBlobs } from "../../blobs/sweep.ts";
import { recountStorage } from "../../inboxes/storage/recount.ts";
import { setRetention } from "../../messages/retention/set.ts";
import { findOrganization } from "../../organizations/organizations.ts";
import { reparseMessages } from "../../receiving/reparse.ts";
import { bad } from "./options.ts";
import type { Session } from "./session.ts";

const HOUR_MS = 3_600_000;
const GRACE = /^([1-9][0-9]{0,3})h$/;
const PLACES = { postgres: "rows", s3: "objects" } as const;

/** `none`: removes objects that were written a moment ago too, whose rows a running service may still write. */
function graceOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (text === "none") return 0;
  const [, hours] = GRACE.exec(text) ?? [];
  if (hours === undefined) throw bad("grace: hours such as 24h, or none");
  return Number(hours) * HOUR_MS;
}

export function addMessageCommands(program: Command, { onService }: Session): void {
  const messages = program.command("messages").description("parsed mail");
  messages
    .command("reparse")
    .argument("[message-id]", "one message")
    .option("--unparsed", "all messages that could not be parsed")
    .description("parse mail again that could not be parsed")
    .action((id: string | undefined, { unparsed }: { unparsed?: boolean }) =>
      onService((ctx) => {
        if (Boolean(id) === Boolean(unparsed)) throw bad("Name the message, or pass --unparsed, not both.");
        return reparseMessages(ctx, unparsed ? undefined : id);
      }),
    );
  messages
    .command("retention")
    .requiredOption("--organization <id|name>", "whose mail it is")
    .option("--inbox <address>", "one mailbox; all otherwise")
    .requiredOption("--days <n>", "days, or none")
    .summary("set after how many days mail is erased")
    .description(
      "set after how many days mail is erased; the shortest time that applies counts, RETENTION_DAYS_MESSAGES included",
    )
    .action(({ organization, inbox, days }) =>
      onService(async (ctx) =>
        setRetention(ctx, { organization: await findOrganization(ctx, organization), inbox, days }),
      ),
    );
}

export function addStorageCommands(program: Command, { onService }: Session): void {
  program
    .command("storage")
    .description("the storage quotas")
    .command("recount")
    .summary("count the stored mail of all mailboxes anew")
    .description("count the stored mail of all mailboxes anew; new mail waits until the count ends")
    .action(() => onService(recountStorage));
  const blobs = program.command("blobs").description("raw mail and attachments in S3 or the database");
  blobs
    .command("sweep")
    .option(
      "--grace <hours>",
      "such as 24h; none: also objects of this moment, so stop every process of the service before",
    )
    .summary("remove the objects in S3 that nothing refers to")
    .description(
      "remove the objects in S3 that no mail, message or draft refers to since the grace period, as the service does too",
    )
    .action(({ grace }: { grace?: string }) => onService((ctx) => sweepBlobs(ctx, graceOf(grace))));
  blobs
    .command("move")
    .requiredOption("--to <s3|postgres>", "where they shall be")
    .summary("move stored mail and attachments to S3, or back into the database")
    .description(
      "move stored mail and attachments to S3, or back into the database, while the service runs; stop it and call it again as you like",
    )
    .action(({ to }: { to: string }) =>
      onService((ctx, report) => {
        if (to !== "postgres" && to !== "s3") throw bad("to: postgres or s3");
        return moveBlobs(ctx, PLACES[to], report);
      }),
    );
}
