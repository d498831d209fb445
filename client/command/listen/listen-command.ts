// The command `listen`: forwards new events to a local URL, so that a webhook endpoint can be tried without a public address.
import { randomBytes } from "node:crypto";
import { type Command, InvalidArgumentError } from "commander";
import type { WebhookEvent } from "../../index.ts";
import { collect } from "../arguments.ts";
import { EXIT } from "../exit-codes.ts";
import { isJson, toJson } from "../print.ts";
import { CommandProblem } from "../problem.ts";
import { openSession, type Shell } from "../session.ts";
import { followEvents } from "./follow-events.ts";
import { forward, type Outcome } from "./forward.ts";

const SECRET_BYTES = 32;
const KINDS: Record<WebhookEvent["event"], true> = {
  "message.received": true,
  "message.sent": true,
  "message.held": true,
  "message.restored": true,
  "message.unanswered": true,
  "suppression.added": true,
  "suppression.removed": true,
  "inbox.created": true,
  "inbox.deleted": true,
  "message.delivered": true,
  "message.bounced": true,
  "message.complained": true,
  "message.failed": true,
  "message.approved": true,
  "message.rejected": true,
  "domain.verified": true,
  "domain.lost": true,
  "sending.paused": true,
  "sending.resumed": true,
};

type ListenOptions = {
  forward: string;
  inbox?: string;
  event?: string[];
  after?: string;
  secret?: string;
  serviceName: string;
};

export function addListenCommand(program: Command, shell: Shell): void {
  program
    .command("listen")
    .requiredOption("--forward <url>", "where to post the events, for example http://127.0.0.1:4000/hook")
    .option("--inbox <inbox>", "only events of this mailbox; default: all mailboxes of the key")
    .option("--event <kind>", "kind of event; may be repeated (default: message.received)", collectKind)
    .option("--after <event>", "start after this event id; default: new events only")
    .option("--secret <secret>", "sign with this secret, or MAILBERTH_LISTEN_SECRET; default: a new one")
    .option("--service-name <name>", "SERVICE_NAME of the service, for the names of the headers", "Service")
    .description("follow the event stream, and post each event to a URL as a signed webhook delivery")
    .action((options: ListenOptions, command: Command) => listen(shell, command, options));
}

function collectKind(kind: string, before: string[] | undefined): string[] {
  if (kind in KINDS) return collect(kind, before);
  throw new InvalidArgumentError(`Write one of ${Object.keys(KINDS).join(", ")}.`);
}

function readTarget(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new CommandProblem(EXIT.usage, `${JSON.stringify(text)} is no URL. Write it as http://127.0.0.1:4000/hook.`);
}

async function listen(shell: Shell, command: Command, options: ListenOptions): Promise<void> {
  const url = readTarget(options.forward);
  const session = await openSession(shell, command);
  const given = options.secret ?? shell.environment.MAILBERTH_LISTEN_SECRET;
  const secret = given || `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
  const target = { url, secret, serviceName: options.serviceName, stop: shell.stop };
  const kinds = options.event ?? ["message.received"];
  const { inbox, after } = options;
  shell.stderr.write(`Forwarding ${kinds.join(", ")} to ${url}\nSigning secret: ${secret}\n`);
  const onState = (state: string) => shell.stderr.write(`${session.url}: ${state}\n`);
  for await (const event of followEvents(session, { inbox, after, onState })) {
    if (!kinds.includes(event.kind)) continue;
    const outcome = await forward(event, target);
    if (!shell.stop.aborted) shell.stdout.write(`${isJson(shell, command) ? toJson(outcome) : lineOf(outcome)}\n`);
  }
}

function lineOf({ event, event_id, status, error, attempts, duration_ms }: Outcome): string {
  const repeated = attempts > 1 ? `, ${attempts} attempts` : "";
  return `${event} ${event_id} → ${status ?? error} (${duration_ms} ms${repeated})`;
}
