// Each name that a model guesses is taken, or answered with the name that it means, at every door.
import { afterAll, expect, test } from "vitest";
import { connect } from "#test/api/mcp/rig.ts";
import { api, type Failure } from "#test/support/api.ts";
import { commandIn, configFolder } from "#test/support/command.ts";
import { startTestService } from "#test/support/service.ts";
import { GUESSES, type Guesses } from "./guesses.ts";

const service = await startTestService();
const client = api(service);
const config = await configFolder();
const { agentKey: key } = await service.newOrganization();
const { address } = await client.createInbox(key);
const agent = await connect(service, key);
const { run } = commandIn(config.path, { MAILBERTH_URL: service.url, MAILBERTH_KEY: key });
afterAll(() => Promise.all([client.close(), agent.close(), config.remove()]).then(service.stop));

const NAMES: Record<string, string> = { addr: encodeURIComponent(address), id: "msg_x", attachment_id: "att_x" };
const pathOf = (declared: string) => declared.replace(/\{(\w+)\}/g, (_, name: string) => NAMES[name] ?? "x");

/** What a door answers about one name. */
const ANSWERS: Record<Guesses["door"], (at: string, guess: string) => Promise<string>> = {
  async body(at, guess) {
    const [method = "", path = ""] = at.split(" ");
    const { body } = await client.call<Failure>(method, pathOf(path), { key, json: { [guess]: "x" } });
    return issueOf(body.error, guess);
  },
  async query(at, guess) {
    const [, path = ""] = at.split(" ");
    const { body } = await client.get<Failure>(`${pathOf(path)}?${guess}=x`, { key });
    return issueOf(body.error, guess);
  },
  async mcp(at, guess) {
    const { body } = await agent.call(at, { [guess]: "x" });
    return issueOf(body as Failure["error"], guess);
  },
  async command(at, guess) {
    const { stderr } = await run([...at.split(" "), guess, "x"]);
    return stderr.split("\n").find((line) => line.includes("unknown option")) ?? "";
  },
};

function issueOf(error: Failure["error"] | undefined, guess: string): string {
  const issue = error?.issues?.find(({ path }) => path === guess)?.message ?? "";
  return issue.startsWith("unknown field") ? issue : "";
}

function isAnswered(means: Guesses["names"][number][1], answer: string): boolean {
  if (typeof means === "string") return answer.includes(`did you mean \`${means}\`?`);
  if ("accepted" in means) return answer === "";
  return ("path" in means ? /path of the request names it/ : means.says).test(answer);
}

const total = GUESSES.flatMap(({ names }) => names).length;

test(`${total} guesses`, async () => {
  expect(total).toBeGreaterThanOrEqual(200);
  const wrong: string[] = [];
  for (const { door, at, names } of GUESSES) {
    for (const [guess, means] of names) {
      const answer = await ANSWERS[door](at, guess);
      if (!isAnswered(means, answer)) wrong.push(`${door} ${at} ${guess}: ${answer}`);
    }
  }
  expect(wrong).toEqual([]);
});
