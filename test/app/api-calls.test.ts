// The calls that the dashboard shows for its pages exist in the OpenAPI document, with the parameters that are filled in.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callsOfPage } from "../../app/dashboard/shell/api-calls/page-calls.ts";

type Parameter = { name: string } | { $ref: string };
type Body = { content?: Record<string, { example?: object }> };
type Document = {
  paths: Record<string, Record<string, { operationId: string; parameters?: Parameter[]; requestBody?: Body }>>;
  components: { parameters: Record<string, { name: string }> };
};
const DOCUMENT = JSON.parse(readFileSync(join(import.meta.dirname, "../api/openapi/openapi.json"), "utf8")) as Document;
const OPERATIONS = new Map(
  Object.values(DOCUMENT.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId, parameters = [] }) => [
      operationId,
      parameters.map((each) =>
        "name" in each ? each.name : DOCUMENT.components.parameters[each.$ref.split("/").at(-1) ?? ""]?.name,
      ),
    ]),
  ),
);

const BODIES = new Map(
  Object.values(DOCUMENT.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId, requestBody }) => [
      operationId,
      requestBody?.content?.["application/json"]?.example ?? {},
    ]),
  ),
);
/** What chooses among mailboxes and mail. */
const NARROWING = ["from", "to", "after", "inbox"];
/** They name a mailbox of the caller, and no page has one, or whom to write to. */
const NAMES_ANY = new Set(["createDraft", "sendMessage"]);

const PAGES = [
  "/dashboard",
  "/dashboard/inboxes",
  "/dashboard/mail?inbox=a@b.example",
  "/dashboard/mail?inbox=a@b.example&thread=thr_1",
  "/dashboard/mail?inbox=a@b.example&q=from:ann+to:ben+subject:x+before:2026-11-01+after:2026-10-01+word&show=unread&label=x",
  "/dashboard/mail?inbox=a@b.example&show=sent",
  "/dashboard/outbox",
  "/dashboard/approvals",
  "/dashboard/approvals?id=msg_1",
  "/dashboard/lists?direction=receive&list=allow&inbox=a@b.example",
  "/dashboard/suppressions?address=a@b.example",
  "/dashboard/domains",
  "/dashboard/domains?id=dom_1",
  "/dashboard/webhooks",
  "/dashboard/webhooks/debugger",
  "/dashboard/webhooks?id=whk_1&status=failed&of=msg_1&after=2026-11-01T10:00&before=2026-11-02T10:00",
  "/dashboard/webhooks?id=whk_1&of=evt_1",
  "/dashboard/webhooks?id=whk_1&delivery=dlv_1",
  "/dashboard/agents",
  "/dashboard/keys",
  "/dashboard/payments",
];

describe("the calls of a page", () => {
  it.each(PAGES)("%s: each is in the OpenAPI document, and so are its parameters", (page) => {
    const { pathname, searchParams } = new URL(page, "http://localhost");
    const calls = callsOfPage(pathname, searchParams);
    expect(calls).not.toEqual([]);
    for (const { operation, values } of calls) {
      expect(OPERATIONS.get(operation), operation).toEqual(expect.arrayContaining(Object.keys(values)));
    }
    // Every value of the address is in a call; words with filters are split.
    const filled = calls.flatMap(({ values }) => Object.values(values)).join(" ");
    for (const name of ["id", "delivery", "inbox", "thread", "of", "label", "address", "status"]) {
      expect(filled).toContain(searchParams.get(name) ?? "");
    }
  });

  it.each(PAGES)("%s: no body names a mailbox or a filter that is not on the page", (page) => {
    const { pathname, searchParams } = new URL(page, "http://localhost");
    for (const { operation, body } of callsOfPage(pathname, searchParams)) {
      if (NAMES_ANY.has(operation)) continue;
      const named = Object.entries(body ?? BODIES.get(operation) ?? {}).filter(([name]) => NARROWING.includes(name));
      expect(named, operation).toEqual(named.filter(([, value]) => value === searchParams.get("inbox")));
    }
  });

  it("a page for members only shows no API calls", () => {
    expect(callsOfPage("/dashboard/settings/team", new URLSearchParams())).toEqual([]);
  });
});
