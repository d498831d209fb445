// The export of the audit log: fields that a spreadsheet would run as a formula are text, and every line is whole.
import { describe, expect, test } from "vitest";
import { type Entry, FORMATS } from "../../app/dashboard/settings/audit/lines.ts";

const entry: Entry = {
  id: "aud_1",
  actor: "Olive <olive@acme.example>",
  action: "team.invite",
  subject: null,
  agent: null,
  object: null,
  more: 0,
  changes: [],
  outcome: "done",
  created_at: "2026-11-20T09:30:00.000Z",
};
const fieldOf = (subject: string) =>
  /^"[^"]*","[^"]*","[^"]*","(.*)","done",("[^"]*",?)+\r\n$/s.exec(FORMATS.csv.line({ ...entry, subject }))?.[1];

describe("CSV", () => {
  test("has a line of names and one for each entry", () => {
    expect(FORMATS.csv.head + FORMATS.csv.line(entry)).toBe(
      'created_at,actor,action,subject,outcome,id,object,object_id,agent_id,changes\r\n"2026-11-20T09:30:00.000Z","Olive <olive@acme.example>","team.invite","","done","aud_1","","","",""\r\n',
    );
  });

  test.each(["=1+1", "+1", "-2+3", "@SUM(A1)", "\t=1", "  =cmd", "\u200b=1", "|cmd", "%0A=1"])(
    "%j is text",
    (subject) => {
      expect(fieldOf(subject)).toBe(`'${subject}`);
    },
  );

  test("keeps quotes, commas and plain text", () => {
    expect(fieldOf('a "b", c')).toBe('a ""b"", c');
    expect(fieldOf("whk_1=2")).toBe("whk_1=2");
  });
});

test("JSON lines have each entry as it is", () => {
  const line = FORMATS.jsonl.line({ ...entry, subject: "=1\n2" });
  expect(line.split("\n")).toHaveLength(2);
  expect(JSON.parse(line)).toEqual({ ...entry, subject: "=1\n2" });
});
