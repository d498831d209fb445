// The README's first minutes: its blocks, pasted in their order into one shell in an empty folder, each end with what it promises.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { DEFAULT_SCOPES } from "#db/scopes.ts";
import { startTestService } from "../support/service.ts";

const ROOT = join(import.meta.dirname, "../..");
const service = await startTestService({ DEFAULT_DOMAIN: "mail.localhost" });
const folder = await mkdtemp(join(tmpdir(), "mailberth-story-"));
const readme = await readFile(join(ROOT, "README.md"), "utf8");
const shell = spawn("bash", [], {
  cwd: folder,
  env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder },
  stdio: ["pipe", "pipe", "pipe"],
});
let output = "";
for (const stream of [shell.stdout, shell.stderr]) {
  stream.on("data", (chunk) => {
    output += chunk;
  });
}

afterAll(async () => {
  const ended = once(shell, "exit");
  shell.kill();
  await ended;
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The block after `<!-- name -->`, with the ports and the key of this service. */
function block(name: string): string {
  const [, text = ""] = new RegExp(`<!-- ${name} -->\\n\`\`\`\\w+\\n([\\s\\S]+?)\`\`\``).exec(readme) ?? [];
  return text.replace("http://127.0.0.1:3000", service.url).replace("127.0.0.1:2525", `127.0.0.1:${service.smtpPort}`);
}

/** Pastes a text, and gives what was printed until all of it has run. */
async function paste(text: string): Promise<string> {
  output = "";
  shell.stdin.write(`${text}\necho pasted; echo\n`);
  await expect.poll(() => output).toMatch(/^pasted$/m);
  expect(output).not.toContain('"error":');
  return output;
}

it("a code arrives in four lines, also when they are pasted again", async () => {
  const { enrollmentKey } = await service.newOrganization({
    allowedDomains: ["mail.localhost"],
    scopes: [...DEFAULT_SCOPES],
  });
  const text = block("curl").replace("mb_enroll_…", enrollmentKey);
  expect(await paste(text)).toMatch(/^The code is 482913\.$/m);
  expect(await paste(text)).toMatch(/^The code is 482913\.$/m);
});

it("TypeScript and Python read a code", async () => {
  const program = block("typescript").replace("@mailberth/client", join(ROOT, "client/index.ts"));
  await writeFile(join(folder, "first.ts"), program);
  expect(await paste("node first.ts")).toMatch(/^731946$/m);
  await writeFile(join(folder, "first.py"), block("python"));
  expect(await paste("python3 first.py")).toMatch(/^604182$/m);
});

it("the command enrolls, makes a mailbox, and looks at the service", async () => {
  const printed = await paste(`cd ${ROOT}\n${block("shell")}`);
  expect(printed).toMatch(/@mail\.localhost/);
  expect(printed).toContain("The service is ready.");
});
