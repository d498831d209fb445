// `@mailberth/client/ai`: the tools of the MCP door for the AI SDK, with all data of their results. Its own MCP client gives a
// model only the line of text.

const PROTOCOL = "2025-11-25";
/** Longer than the longest wait of a tool. */
const CALL_MAX_MS = 90_000;

type JsonSchema = Record<string, unknown>;

/**
 * A tool as `generateText({ tools })` and `streamText` take it. The schema is a Standard JSON Schema, so that this package
 * needs no other. The service validates the input.
 */
export type MailTool = {
  description: string;
  inputSchema: {
    "~standard": {
      version: 1;
      vendor: "mailberth";
      validate(value: unknown): { value: Record<string, unknown> };
      jsonSchema: { input(): JsonSchema; output(): JsonSchema };
    };
  };
  /** The data of the answer, or `{code, message, fix, …}` when the service refuses the call: the model reads what to do. */
  execute(input: Record<string, unknown>, options: { abortSignal?: AbortSignal }): Promise<Record<string, unknown>>;
};

export type MailToolsOptions = {
  /** The service's URL: `https://mail.example.com`. */
  url: string;
  /** The agent key. Its scopes decide which tools there are. */
  key: string;
};

/**
 * The tools that the key may call, by name: `create_inbox`, `wait_for_email`, `send_email` and others.
 * @throws Error if the service cannot be reached, or does not take the key
 */
export async function mailTools(options: MailToolsOptions): Promise<Record<string, MailTool>> {
  const { tools } = (await request(options, "tools/list")) as { tools: Listed[] };
  return Object.fromEntries(tools.map((tool) => [tool.name, toolOf(tool, options)]));
}

type Listed = { name: string; description: string; inputSchema: JsonSchema };

function toolOf({ name, description, inputSchema }: Listed, options: MailToolsOptions): MailTool {
  const validate = (value: unknown) => ({ value: value as Record<string, unknown> });
  const jsonSchema = { input: () => inputSchema, output: () => inputSchema };
  return {
    description,
    inputSchema: { "~standard": { version: 1, vendor: "mailberth", validate, jsonSchema } },
    async execute(input, { abortSignal }) {
      const result = await request(options, "tools/call", { name, arguments: input }, abortSignal);
      return (result as { structuredContent: Record<string, unknown> }).structuredContent;
    },
  };
}

/** One JSON-RPC call (MCP 2025-11-25, Streamable HTTP). The service keeps no session. */
async function request(
  { url, key }: MailToolsOptions,
  method: string,
  params: object = {},
  stopped?: AbortSignal,
): Promise<unknown> {
  const answer = await fetch(`${url.replace(/\/+$/, "")}/mcp`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${key}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": PROTOCOL,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.any([AbortSignal.timeout(CALL_MAX_MS), ...(stopped ? [stopped] : [])]),
  });
  const text = await answer.text();
  const { result, error } = parse(text) as { result?: unknown; error?: { code: string | number; message: string } };
  if (error || result === undefined) {
    throw new Error(`Mailberth answered ${answer.status} to ${method}: ${error?.message ?? text.slice(0, 200)}`);
  }
  return result;
}

/** A proxy in between answers with pages. */
function parse(text: string): object {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
