// Lints the committed OpenAPI document with Redocly and Spectral, without the network: part of `npm run check`.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");
const FOLDER = "test/api/openapi";
const DOCUMENT = `${FOLDER}/openapi.json`;
const SPECTRAL = "node_modules/@stoplight/spectral-cli/dist/index.js";
const ENVIRONMENT = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

/** Redocly and spectral:oas accept no finding at all; the OWASP rules accept warnings, which they give for every free text. */
const LINTERS: [string, string[]][] = [
  ["Redocly", ["node_modules/@redocly/cli/bin/cli.js", "lint", DOCUMENT, "--config", `${FOLDER}/redocly.yaml`]],
  ["Spectral spectral:oas", [SPECTRAL, "lint", DOCUMENT, "-r", `${FOLDER}/spectral.yaml`, "--fail-severity", "hint"]],
  ["Spectral OWASP", [SPECTRAL, "lint", DOCUMENT, "-r", `${FOLDER}/owasp.yaml`, "--display-only-failures"]],
];

for (const [name, command] of LINTERS) {
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: ROOT,
    env: ENVIRONMENT,
    encoding: "utf8",
  });
  const isClean = status === 0 && !/[1-9]\d* warning/.test(stdout + stderr);
  console.log(`${name}: ${isClean ? "no findings" : `failed\n${stdout}${stderr}`}`);
  if (!isClean) process.exitCode = 1;
}
