// The options of the SMTP server that do not depend on a session: its certificate, name, limits and commands.
import type { SMTPServerOptions } from "smtp-server";
import type { Ctx, System } from "../base/context.ts";
import { loadCertificate } from "./certificate.ts";
import type { SmtpLimits } from "./limits.ts";

/** RFC 5321 §4.5.3.1.4 requires 512; addresses in SMTPUTF8 and parameters may need more. */
const COMMAND_CHARS = 4_096;
const OTHER_COMMANDS = ["AUTH", "XCLIENT", "XFORWARD", "WIZ", "SHELL", "KILL"];

export async function protocolOptions(ctx: Ctx<System>, limits: SmtpLimits): Promise<SMTPServerOptions> {
  return {
    ...(await loadCertificate(ctx.settings, ctx.now())),
    minVersion: "TLSv1.2",
    name: ctx.settings.SMTP_HOSTNAME,
    size: ctx.settings.SMTP_MAX_BYTES,
    rejectOversized: true,
    maxRecipients: limits.recipients,
    // Session.timer fires first, unless the client does not read its replies.
    socketTimeout: limits.dataMs,
    maxCommandLength: COMMAND_CHARS,
    disabledCommands: OTHER_COMMANDS,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    // Any sender address is accepted; only recipients are looked up.
    lenientAddressParsing: true,
    logger: false,
  };
}
