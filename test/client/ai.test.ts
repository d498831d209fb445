// The AI SDK with the tools of `@mailberth/client/ai`. A scripted model stands for the model; the SDK and the service are real.
import { generateText, isStepCount } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { afterAll, expect, test } from "vitest";
import { mailTools } from "#client/ai.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService();
afterAll(() => service.stop());

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

type Result = Record<string, unknown>;
type Step = (results: Result[]) => { toolName: string; input: object } | string;

/** A model that calls a tool in each step, with what the results of the steps before said, and then says a text. */
function scripted(steps: Step[]) {
  return new MockLanguageModelV4({
    async doGenerate({ prompt }) {
      const results = prompt.flatMap((message) =>
        message.role === "tool"
          ? message.content.flatMap((part) =>
              part.type === "tool-result" && part.output.type === "json" ? [part.output.value as Result] : [],
            )
          : [],
      );
      const next = steps[results.length]?.(results) ?? "";
      const content =
        typeof next === "string"
          ? [{ type: "text" as const, text: next }]
          : [
              {
                type: "tool-call" as const,
                toolCallId: `call-${results.length}`,
                toolName: next.toolName,
                input: JSON.stringify(next.input),
              },
            ];
      const unified = typeof next === "string" ? ("stop" as const) : ("tool-calls" as const);
      return { content, finishReason: { unified, raw: undefined }, usage: USAGE, warnings: [] };
    },
  });
}

test("a model makes a mailbox, mails itself a code, and reads the code in the data of the result", async () => {
  const { agentKey } = await service.newOrganization();
  const tools = await mailTools({ url: `${service.url}/`, key: agentKey });
  const inbox = (results: Result[]) => results[0]?.address;
  const model = scripted([
    () => ({ toolName: "create_inbox", input: { display_name: "Model" } }),
    (results) => ({
      toolName: "send_email",
      input: { inbox: inbox(results), to: inbox(results), subject: "Your code", text: "Your code is 482913." },
    }),
    (results) => ({ toolName: "wait_for_email", input: { inbox: inbox(results), timeout_seconds: 30 } }),
    (results) => `The code is ${(results[2]?.extracted as Result)?.otp}.`,
  ]);
  const { text } = await generateText({ model, tools, prompt: "Get a code.", stopWhen: isStepCount(5) });
  expect(text).toBe("The code is 482913.");
  const [first] = model.doGenerateCalls;
  const offered = first?.tools?.map((tool) => tool.name) ?? [];
  expect(offered).toEqual(Object.keys(tools));
  expect(first?.tools?.find((tool) => tool.name === "send_email")).toMatchObject({
    description: expect.stringContaining("Sends"),
    inputSchema: { type: "object", required: expect.arrayContaining(["inbox"]) },
  });
});

test("a refused call tells the model what to do", async () => {
  const { agentKey } = await service.newOrganization();
  const tools = await mailTools({ url: service.url, key: agentKey });
  const model = scripted([
    () => ({ toolName: "get_message", input: { id: "msg_none" } }),
    ([refused]) => String(refused?.fix),
  ]);
  const { text } = await generateText({ model, tools, prompt: "Read it.", stopWhen: isStepCount(3) });
  expect(text).toContain("message");
});

test("a narrower key has fewer tools, and a wrong one none", async () => {
  const { agentKey, enrollmentKeyId } = await service.newOrganization();
  const reader = await service.newAgentKey(enrollmentKeyId, { scopes: ["mailbox:read"] });
  const names = Object.keys(await mailTools({ url: service.url, key: reader.key }));
  expect(names).toContain("wait_for_email");
  expect(names).not.toContain("send_email");
  expect(Object.keys(await mailTools({ url: service.url, key: agentKey }))).toContain("send_email");
  await expect(mailTools({ url: service.url, key: "mb_agent_none" })).rejects.toThrow(
    "Mailberth answered 401 to tools/list",
  );
});
