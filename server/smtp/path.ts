// Reads the path of MAIL FROM and RCPT TO as programs write it: without brackets, or with a quoted local part.
import type { SMTPConnection } from "smtp-server/lib/smtp-connection.js";
import { readAddress } from "../base/addresses.ts";

/** `MAIL FROM:` or `RCPT TO:`, a path in brackets or not, and parameters. A quoted local part may have spaces, brackets and `@`. */
const QUOTED_PATH =
  /^((?:MAIL FROM|RCPT TO)[ \t]*:[ \t]*)(<[ \t]*)?(?:@[^\s<>":]*:)?"((?:[^"\\]|\\[ -~])*)"@([^\s<>@"]+)([ \t]*>)?([ \t].*)?$/is;
/** The part behind the last `@` has none, so that no line takes more than linear time. */
const OPEN_PATH = /^((?:MAIL FROM|RCPT TO)[ \t]*:[ \t]*)([^\s<>"]+@[^\s<>"@]+)([ \t].*)?$/is;
const SPACED_PATH = /^((?:MAIL FROM|RCPT TO)[ \t]*:[ \t]*)<([^<>"]*)>([ \t].*)?$/is;

/** Among the parameters, outside a value. */
const SECOND_PATH = /[ \t][^=\s]*[<@]/;

/** The line with a path that the library reads, and the address that it stands for if the library could not read that. */
function rewritten(line: string): { line: string; address?: string } {
  const quoted = QUOTED_PATH.exec(line);
  if (quoted) {
    const [, verb = "", open, escaped = "", domain = "", close, rest = ""] = quoted;
    if (!open !== !close || /[^ -~]/.test(escaped)) return { line };
    const whole = `"${escaped.replace(/\\(.)/g, "$1")}"@${domain}`;
    const address = readAddress(whole)?.address ?? `"${escaped}"@${domain}`;
    return { line: `${verb}<quoted@${domain}>${rest}`, address };
  }
  const [, verb, path, rest = ""] = OPEN_PATH.exec(line) ?? SPACED_PATH.exec(line) ?? [];
  return { line: verb === undefined || path === undefined ? line : `${verb}<${path.trim()}>${rest}` };
}

/**
 * Makes a connection accept the paths that controllers, printers and old clients send. The quotes of a local part are no part
 * of the name (RFC 5321 §4.1.2), so the address is the one without them where it needs none.
 */
export function readEveryPath(connection: SMTPConnection): void {
  const parse = connection._parseAddressCommand.bind(connection);
  connection._parseAddressCommand = (name, command) => {
    const { line, address } = rewritten(command.toString());
    const rest = />(.*)$/s.exec(line)?.[1] ?? "";
    if (SECOND_PATH.test(rest)) return false;
    const parsed = parse(name, line);
    return parsed && address !== undefined ? { ...parsed, address } : parsed;
  };
}
