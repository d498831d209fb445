// The code that the dashboard shows beside a secret is the code of examples/webhooks, which test/examples runs.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { verifySnippets } from "../../app/dashboard/webhooks/verify-snippets.ts";

const FOLDER = join(import.meta.dirname, "../../examples/webhooks");
const source = (file: string) => readFile(join(FOLDER, file), "utf8");
const codeOf = (label: string, name = "Service") =>
  verifySnippets(name).find((each) => each.label === label)?.code ?? "";

describe("the snippet", () => {
  test("of TypeScript has the lines of next-route.ts, in their order", async () => {
    const lines = codeOf("TypeScript").split("\n").slice(2);
    const rest = (await source("next-route.ts")).split("\n").map((line) => line.trim());
    let from = 0;
    for (const line of lines.map((each) => each.trim())) {
      const at = rest.indexOf(line, from);
      expect(at, line).not.toBe(-1);
      from = at + (line === "" ? 0 : 1);
    }
    expect(codeOf("TypeScript").split("\n")[0]).toBe(
      (await source("next-route.ts"))
        .split("\n")
        .find((line) => line.startsWith("// In a project"))
        ?.split(": ")[1],
    );
  });

  test.each([
    ["Python", "receiver.py", "def is_genuine"],
    ["Go", "receiver.go", "func isGenuine"],
  ])("of %s has the function of %s, word for word", async (label, file, begin) => {
    const code = codeOf(label);
    const whole = code.slice(code.indexOf(begin));
    expect(whole).toMatch(/^(def|func)[\s\S]+(v1"\)|\n})$/);
    expect(await source(file)).toContain(`${whole}\n`);
  });

  test.each(["TypeScript", "Python", "Go"])("of %s names the header of a service with another name", (label) => {
    const code = codeOf(label, "Acme");
    expect(code).toContain("X-Acme-Signature");
    expect(code).not.toContain("X-Service");
  });
});
