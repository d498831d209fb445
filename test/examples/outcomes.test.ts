// The example of outcomes, as users run it against local mode.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { DEFAULT_SCOPES } from "#db/scopes.ts";
import { startTestService } from "#test/support/service.ts";

const PROJECT = join(import.meta.dirname, "../..");

test("plays a bounce, a complaint, a delay, an absence note, an answer and silence", async () => {
  const service = await startTestService();
  const { enrollmentKey } = await service.newOrganization({ scopes: [...DEFAULT_SCOPES] });
  const { stdout } = await promisify(execFile)("node_modules/.bin/node", ["examples/outcomes.ts"], {
    cwd: PROJECT,
    env: { ...process.env, MAILBERTH_URL: service.url, ENROLLMENT_KEY: enrollmentKey },
  });
  expect(stdout).toMatch(/bounce: '550 5\.1\.1 The mailbox does not exist'/);
  expect(stdout).toMatch(/complaint: 'complained'/);
  expect(stdout).toMatch(/defer: 'delivered'/);
  expect(stdout).toMatch(/away: 'automatic'/);
  expect(stdout).toMatch(/reply: 'Re: Hello'/);
  expect(stdout).toMatch(/silence: true/);
  await service.stop();
});
