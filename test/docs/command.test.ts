// The commands of docs/guides/command.md, run line by line, succeed; and the guide names every command.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createClient } from "#client/index.ts";
import { DEFAULT_SCOPES } from "#db/scopes.ts";
import { commandIn, configFolder } from "#test/support/command.ts";
import { startTestService } from "#test/support/service.ts";

const ROOT = join(import.meta.dirname, "../..");
const PROGRAM = `"${process.execPath}" "${join(ROOT, "client/command/main.ts")}"`;
const GUIDE_MAX_MS = 120_000;
const guide = await readFile(join(ROOT, "docs/guides/command.md"), "utf8");
const lines = [...guide.matchAll(/<!-- commands -->\n```sh\n([\s\S]+?)```/g)].flatMap(([, block = ""]) =>
  block.trim().split("\n"),
);

const service = await startTestService();
const folder = await configFolder();
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

it(
  "each line of the guide succeeds",
  async () => {
    const { enrollmentKey, organizationId } = await service.newOrganization({ scopes: [...DEFAULT_SCOPES] });
    // As the guide says of the commands for domains.
    const manager = await service.newEnrollment(organizationId, {
      scopes: ["mailbox:read", "domain:manage", "key:issue"],
    });
    const issued = await createClient({ url: service.url, key: manager.agentKey }).issuedKeys.issue.mutate({
      scopes: ["mailbox:read"],
    });
    const inbox = "my-agent@mail.example";
    const variables: Record<string, string> = {
      URL: service.url,
      TOKEN: enrollmentKey,
      INBOX: inbox,
      MESSAGE: "",
      KEY: issued.id,
    };
    for (const line of lines) {
      if (line.includes("messages list")) {
        await service.mail({
          from: "no-reply@shop.example",
          to: inbox,
          subject: "Your code is 482913",
          text: "482913",
        });
      }
      const isOfManager = line.includes("mailberth domains") || line.includes("mailberth keys");
      const domainKey: Record<string, string> = isOfManager
        ? { MAILBERTH_URL: service.url, MAILBERTH_KEY: manager.agentKey }
        : {};
      const script = `mailberth() { ${PROGRAM} "$@"; }\nset -o pipefail\n${line}`;
      const shell = commandIn(folder.path, { ...variables, ...domainKey }, ["bash", "-c", script]);
      const { code, stdout, stderr } = await shell.run([]);
      expect({ line, code, stderr }).toMatchObject({ line, code: 0 });
      variables.MESSAGE ||= /msg_\w+/.exec(line.includes("messages list") ? stdout : "")?.[0] ?? "";
    }
  },
  GUIDE_MAX_MS,
);

it("every command is in the guide", async () => {
  const { stdout } = await commandIn(folder.path).run(["completion", "bash"]);
  const paths = [...stdout.matchAll(/^ +"([a-z ]+)"\) words="([^"]*)"/gm)];
  const leaves = paths.filter(([, , words = ""]) => words.startsWith("--")).map(([, path]) => `mailberth ${path}`);
  expect(leaves.length).toBeGreaterThan(15);
  expect(leaves.filter((leaf) => !guide.includes(leaf))).toEqual([]);
});
