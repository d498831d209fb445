// The command `mcp`: serves MCP on the standard input and output, for hosts that start a program instead of calling a URL.
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Command } from "commander";
import { openSession, type Shell } from "../session.ts";
import { relay } from "./relay.ts";

export function addMcpCommand(program: Command, shell: Shell): void {
  program
    .command("mcp")
    .description("serve MCP on the standard input and output, with the tools and the key of the service")
    .action(async (_options, command: Command) => {
      const { url, key } = await openSession(shell, command);
      shell.calls(url);
      const log = (text: string) => shell.stderr.write(`${text}\n`);
      const headers = { Authorization: `Bearer ${key}` };
      const service = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
      await relay({ host: new StdioServerTransport(shell.stdin, shell.stdout), service, url, stop: shell.stop, log });
    });
}
