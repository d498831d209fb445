// The plugin for Claude Code: its server is reached, and its skill names only tools and arguments that exist.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { startTestService } from "#test/support/service.ts";

const PROJECT = join(import.meta.dirname, "../..");
const PLUGIN = join(PROJECT, "client/claude-code");
const read = async (path: string) => JSON.parse(await readFile(path, "utf8"));
/** `${NAME}` and `${NAME:-default}`, as the host replaces them. */
const VARIABLE = /\$\{(\w+)(?::-([^}]*))?\}/g;

test("the plugin's server is reached, and its skill names what there is", async () => {
  const service = await startTestService();
  const { agentKey } = await service.newOrganization();
  const surroundings: Record<string, string> = { MAILBERTH_URL: service.url, MAILBERTH_KEY: agentKey };
  const fill = (text: string) => text.replace(VARIABLE, (_, name: string, other = "") => surroundings[name] ?? other);

  const { url, headers } = (await read(join(PLUGIN, ".mcp.json"))).mcpServers.mailberth;
  const requestInit = { headers: { Authorization: fill(headers.Authorization) } };
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(fill(url)), { requestInit }));
  const { tools } = await client.listTools();
  const names = new Set(
    tools.flatMap((tool) => [
      tool.name,
      ...Object.keys(tool.inputSchema.properties ?? {}),
      ...Object.keys(tool.outputSchema?.properties ?? {}),
    ]),
  );
  const skill = await readFile(join(PLUGIN, "skills/mail/SKILL.md"), "utf8");
  const named = [...skill.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !names.has(name))).toEqual([]);
  await client.close();
  await service.stop();
});

test("has the version of the service", async () => {
  const { version } = await read(join(PLUGIN, ".claude-plugin/plugin.json"));
  expect(version).toBe((await read(join(PROJECT, "package.json"))).version);
});
