// The text that ends a start: where everything is, and the first key and the owner link when they are new.

import type { Settings } from "../base/env.ts";
import { ADMIN_COMMAND } from "../base/errors/admin-command.ts";
import { version } from "../base/version.ts";
import { type FirstOwner, type FirstStart, firstStart } from "./first-start.ts";
import type { Service } from "./service.ts";

const OWNER_LINK_COMMAND = `${ADMIN_COMMAND} organizations owner-link`;

function ownerLines(base: string, owner: FirstOwner): string[] {
  const [says, what] =
    "token" in owner
      ? [
          "Open this link to become the owner. It works once, for 7 days. The next start replaces it:",
          `${base}/join#${owner.token}`,
        ]
      : ["This command prints a link to become the owner:", `${OWNER_LINK_COMMAND} ${owner.organization}`];
  return [`  There is no account yet. ${says}`, "", `  ${what}`, ""];
}

/**
 * The first information an operator needs, in about twenty lines. Waits for the pages, because it says that they are ready.
 * @returns nothing when the service was stopped before
 */
export async function welcome(settings: Settings, service: Service): Promise<string> {
  const pages = await service.pages;
  if (pages === "building") return "";
  return `${linesOf(settings, service, pages, await firstStart(service.system)).join("\n")}\n`;
}

function linesOf(
  settings: Settings,
  { port, smtpPort }: Service,
  pages: Awaited<Service["pages"]>,
  { enrollmentKey, owner }: FirstStart,
): string[] {
  const base = settings.PUBLIC_URL.replace(/:0$/, `:${port}`);
  const sends = {
    local: "delivered locally; mail to other services is stored, not sent",
    smtp: "through your relay",
    resend: "over Resend",
  };
  const lines = [
    "",
    pages === "failed"
      ? `  Mailberth ${version} runs without its pages: they could not be built. The reason is in the log above.`
      : `  Mailberth ${version} is ready.`,
    "",
    ...(pages === "ready" ? [`  Start here   ${base}`, `  Dashboard    ${base}/dashboard`] : []),
    `  REST         ${base}/v1   (described at /v1/openapi.json)`,
    ...(smtpPort === undefined ? [] : [`  Mail in      ${settings.HOST}:${smtpPort} for …@${settings.DEFAULT_DOMAIN}`]),
    `  Mail out     ${sends[settings.OUTBOUND]}`,
    "",
  ];
  if (owner) lines.push(...ownerLines(base, owner));
  if (enrollmentKey) {
    const body = JSON.stringify({ token: enrollmentKey, agent_handle: "first-agent" });
    lines.push(
      "  An enrollment key was created. It is shown only once. Paste this to get your first agent key:",
      "",
      `  curl -s ${base}/v1/enroll -H 'Content-Type: application/json' -d '${body}'`,
      "",
    );
  }
  return lines;
}
