// The official MCP client, and bare requests, at the MCP door of a test service.
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { expect } from "vitest";
import { TEST_TIMEOUT_MS } from "#test/support/patience.ts";
import type { TestService } from "#test/support/service.ts";

/** The protocol of 2026-07-28, and the one before, which begins with `initialize`. */
export const PROTOCOLS = ["2026-07-28", "2025-11-25"] as const;
export type ProtocolVersion = (typeof PROTOCOLS)[number];
export const ACCEPT = "application/json, text/event-stream";

export type Called = { isError: boolean; body: Record<string, unknown> };

/** A connected client; without a key if there is none. `call` returns the structured content of a tool's result. */
export async function connect(
  service: Pick<TestService, "url">,
  key?: string,
  version: ProtocolVersion = "2026-07-28",
) {
  const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit: { headers } });
  return connectOver(transport, version);
}

/** A client that is connected over any transport. */
export async function connectOver(transport: Transport, version: ProtocolVersion = "2026-07-28") {
  const mode = version === "2026-07-28" ? { pin: version } : "legacy";
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  type Options = NonNullable<Parameters<Client["callTool"]>[1]>;
  async function call(name: string, args: object = {}, options: Options = {}): Promise<Called> {
    const result = await client.callTool({ name, arguments: { ...args } }, { timeout: TEST_TIMEOUT_MS, ...options });
    const body = result.structuredContent as Record<string, unknown>;
    const [first, ...others] = result.content;
    // The data is there once: the text is a line of it.
    expect([first?.type, others]).toEqual(["text", []]);
    const line = first?.type === "text" ? first.text : "";
    expect(line.length).toBeLessThanOrEqual(result.isError ? 2_000 : 300);
    expect(line).not.toContain("\n");
    return { isError: result.isError ?? false, body };
  }
  return {
    client,
    call,
    /** The answer of a call that must succeed. */
    async done<Body = Record<string, unknown>>(name: string, args: object = {}, options: Options = {}): Promise<Body> {
      const { isError, body } = await call(name, args, options);
      if (isError) throw new Error(`${name}: ${JSON.stringify(body)}`);
      return body as Body;
    },
    close: () => client.close(),
  };
}

export const callOf = (name: string, args: object = {}, id: number | string = 1) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});
