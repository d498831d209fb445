// The parts of guides that are made from the source: the errors and the settings.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ERRORS } from "#server/base/errors/table.ts";

const ROOT = join(import.meta.dirname, "../..");
const SECTION = /^# --- (.+) ---$/m;

function errorsGuide(): string {
  const rows = Object.entries(ERRORS)
    .toSorted(([one, first], [other, second]) => first.status - second.status || one.localeCompare(other))
    .map(([code, { status, fix }]) => `| \`${code}\` | ${status} | ${fix.replaceAll("|", "\\|")} |`);
  return `# Errors

Every error has a status and the body \`{"error":{"code","message","fix"}}\`. The code never changes. The message says what happened, and \`fix\` what to do; some
errors have a more exact \`fix\` than the table. \`invalid_request\` and \`unknown_field\` name each field in \`issues\`. After \`429\` and \`503\`, wait for \`Retry-After\` seconds.

| code | status | what to do |
|---|---|---|
${rows.join("\n")}
`;
}

/** `.env.example` in sections. */
function settingsGuide(): string {
  const [, ...parts] = readFileSync(join(ROOT, ".env.example"), "utf8").split(SECTION);
  const sections = parts.flatMap((title, at) =>
    at % 2 === 0 ? [`## ${title}\n\n\`\`\`ini\n${(parts[at + 1] ?? "").trim()}\n\`\`\``] : [],
  );
  return `# Settings

All settings with their defaults, as in \`.env.example\`. None is required to try the service. Set them in the environment, or in a file \`.env\` in the folder in which it starts. A
start names every invalid setting with its rule. Each process reads its own settings: give all processes the same ones, except \`ROLES\` and ports.

${sections.join("\n\n")}
`;
}

export const GENERATED = { "errors.md": errorsGuide, "settings.md": settingsGuide };
