// The command `doctor`: checks a service from outside, and says what to do about each problem.
import { type Command, InvalidArgumentError } from "commander";
import { EXIT } from "../exit-codes.ts";
import { fieldsOf, isJson, toJson } from "../print.ts";
import { CommandProblem } from "../problem.ts";
import { clientOf, findService, type GlobalOptions, type Shell } from "../session.ts";
import { type Check, checkDomains, checkKey, checkService, checkWebhooks, failed } from "./checks.ts";
import { checkSmtp, checkTls, type SmtpServer, smtpServerOf } from "./network-checks.ts";
import { checkQueues } from "./queue-check.ts";

/** Raised when a field is removed or changes its meaning. */
const SCHEMA = "mailberth.doctor/v1";

export function addDoctorCommand(program: Command, shell: Shell): void {
  program
    .command("doctor")
    .option(
      "--smtp <host:port>",
      "where mail servers reach the service; default: port 25 of the URL's host, or SMTP_PORT on this machine",
      readServer,
    )
    .description("check the service, its key, domains, webhooks, queues, SMTP port and certificate, and say what to do")
    .action((options: { smtp?: SmtpServer }, command: Command) => doctor(shell, command, options.smtp));
}

function readServer(text: string): SmtpServer {
  const [, host = "", port = ""] = /^\[?([^[\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (!host || Number(port) > 65_535) throw new InvalidArgumentError("Write it as mx.example.com:25.");
  return { host, port: Number(port) };
}

async function doctor(shell: Shell, command: Command, smtp: SmtpServer | undefined): Promise<void> {
  const { url, key } = await findService(shell, command.optsWithGlobals<GlobalOptions>());
  const [service, network] = await Promise.all([
    checkService(url, shell.stop),
    Promise.all([checkSmtp(smtpServerOf(url, shell.environment, smtp), shell.stop), checkTls(url, shell.stop)]),
  ]);
  const isThere = service.some(({ name }) => name === "version");
  const token = shell.environment.MAILBERTH_METRICS_TOKEN;
  const inside = isThere ? [...(await checkAccount(shell, url, key)), await checkQueues(url, token, shell.stop)] : [];
  const checks = [...service, ...inside, ...network];
  const failures = checks.filter(({ status }) => status === "failed").length;
  const report = { schema: SCHEMA, url, ok: failures === 0, checks };
  shell.stdout.write(isJson(shell, command) ? `${toJson(report)}\n` : checks.map(linesOf).join(""));
  if (failures > 0) throw new CommandProblem(EXIT.doctorFailed, `${failures} of ${checks.length} checks failed.`);
}

async function checkAccount(shell: Shell, url: string, key: string | undefined): Promise<Check[]> {
  if (key === undefined) {
    return [failed("key", "No agent key is given.", "Run `mailberth enroll <enrollment key>`, or set MAILBERTH_KEY.")];
  }
  const client = clientOf(shell, { url, key });
  const checked = await checkKey(client);
  if (checked.some(({ status }) => status === "failed")) return checked;
  return [...checked, ...(await checkDomains(client)), ...(await checkWebhooks(client))];
}

function linesOf({ name, status, message, fix }: Check): string {
  return `${fieldsOf({ [status]: `${name}: ${message}${fix === null ? "" : `\n→ ${fix}`}` })}\n`;
}
