// Clients generated from the committed document compile under strict rules, and play the main story against a service.
import { execFile } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestService } from "#test/support/service.ts";

const FOLDER = join(import.meta.dirname, "clients");
const GENERATED = join(FOLDER, "generated");
const DOCUMENT = join(import.meta.dirname, "openapi.json");
const TSC = join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");

const service = await startTestService({ ROLES: "web,smtp,worker" });
const { enrollmentKey } = await service.newOrganization({ maxMailboxes: 10 });
afterAll(service.stop);

/** Runs a program of Node; what it prints is in the error when it fails. */
async function run(...command: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: FOLDER }).catch((error) => {
    throw new Error(`${command.join(" ")}\n${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}

beforeAll(async () => {
  await rm(GENERATED, { recursive: true, force: true });
  await mkdir(GENERATED);
  const [types, sdk] = ["openapi-typescript/bin/cli.js", "@hey-api/openapi-ts/bin/run.js"].map((file) =>
    join(FOLDER, "node_modules", file),
  ) as [string, string];
  await run(types, DOCUMENT, "--output", join(GENERATED, "openapi-typescript/document.d.ts"));
  const client = ["--client", "@hey-api/client-fetch", "--silent", "--no-log-file"];
  await run(sdk, "--input", DOCUMENT, "--output", join(GENERATED, "hey-api"), ...client);
});
afterAll(() => rm(GENERATED, { recursive: true, force: true }));

test("they compile with `strict`, their declarations too", async () => {
  expect(await run(TSC, "--project", FOLDER)).toBe("");
});

test("types have the names of the document", async () => {
  const types = await readFile(join(GENERATED, "hey-api/types.gen.ts"), "utf8");
  for (const name of ["Inbox", "InboxSummary", "Message", "Thread", "Webhook", "Delivery", "Event"]) {
    expect(types).toContain(`export type ${name} = `);
  }
});

describe.each(["openapi-fetch", "hey-api"])("%s", (name) => {
  test("enrolls, creates, sends, waits, lists, deletes, and reads an error", async () => {
    const program = join(GENERATED, `${name}.mjs`);
    const bundle = await rolldown({ input: join(FOLDER, `${name}.ts`), platform: "node" });
    await bundle.write({ file: program });
    await bundle.close();
    expect(JSON.parse(await run(program, service.url, enrollmentKey))).toEqual({
      status: "live",
      queued: "queued",
      subject: "Your code",
      otp: "482915",
      listed: [true],
      deleted: true,
      code: "inbox_not_found",
      unused: 2,
    });
  });
});
