// The README's curl story, pasted as it stands into a shell, works.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { DEFAULT_SCOPES } from "#db/scopes.ts";
import { freePort } from "../support/process.ts";
import { startTestService } from "../support/service.ts";

const ROOT = join(import.meta.dirname, "../..");

it("the story ends with a verified webhook and a queued answer", async () => {
  const service = await startTestService({ DEFAULT_DOMAIN: "mail.localhost" });
  const folder = await mkdtemp(join(tmpdir(), "mailberth-story-"));
  const hookPort = await freePort();
  try {
    const readme = await readFile(join(ROOT, "README.md"), "utf8");
    const story = /<!-- story -->\n```sh\n([\s\S]+?)```/.exec(readme)?.[1] ?? "";
    const { enrollmentKey } = await service.newOrganization({
      allowedDomains: ["mail.localhost"],
      scopes: [...DEFAULT_SCOPES],
    });
    const script = story
      .replace("http://127.0.0.1:3000", service.url)
      .replace("mb_enroll_…", enrollmentKey)
      .replace("127.0.0.1:2525", `127.0.0.1:${service.smtpPort}`)
      .replaceAll("4000", `${hookPort}`);
    const shell = spawn("bash", [], {
      cwd: folder,
      env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    let output = "";
    for (const stream of [shell.stdout, shell.stderr]) {
      stream.on("data", (chunk) => {
        output += chunk;
      });
    }
    shell.stdin.write(script);
    await expect.poll(() => output).toMatch(/verified \{"event":"message.received"/);
    await expect.poll(() => output).toMatch(/"status":"queued"/);
    expect(output).toContain('"subject":"Your code is 482913"');
    expect(output).toMatch(/^The code is 482913$/m);
    expect(output).not.toContain('"error":');
    const ended = once(shell, "exit");
    process.kill(-(shell.pid as number));
    await ended;
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
