// The new part of generated replies: nothing that a person wrote is lost, and quotes are removed.
import { describe, expect, test } from "vitest";
import { readHtml } from "#server/extraction/html/html.ts";
import { newText } from "#server/extraction/new-text.ts";
import { type Reply, repliesOf } from "./held-back/replies.ts";
import { type WrittenReply, writtenReplies } from "./held-back/written-replies.ts";

const QUOTES_REMOVED = 0.95;

function read({ text, html, subject, earlier }: Reply): string {
  const known = earlier.map((message) => ({ ...message, fresh: message.text }));
  const body = { text: text ?? null, html: html === undefined ? null : readHtml(html, subject) };
  return newText(body, { subject, earlier: known }) ?? "";
}
const flat = (text: string) => text.replace(/\s+/g, " ");
const holds = (reply: Reply, line: string) => flat(read(reply)).includes(flat(line));

describe.each(["tuned", "held back"] as const)("of the replies that are %s", (half) => {
  const replies = repliesOf(half);

  test("there are hundreds", () => {
    expect(replies.length).toBeGreaterThan(400);
  });

  test("none loses what the person wrote", () => {
    const lost = replies.filter((reply) => !reply.own.every((line) => holds(reply, line)));
    expect(lost.map(({ name }) => name)).toEqual([]);
  });

  test("nearly all lose their quotes", () => {
    const quoting = replies.filter(({ quoted }) => quoted.length > 0);
    const left = quoting.filter((reply) => reply.quoted.some((line) => holds(reply, line)));
    expect(left.length / quoting.length, left.map(({ name }) => name).join("\n")).toBeLessThanOrEqual(
      1 - QUOTES_REMOVED,
    );
  });
});

function readWritten({ text, html, subject, answers, earlier }: WrittenReply): string {
  const known = earlier === "" ? [] : [{ text: earlier, fresh: earlier, own: false }];
  const body = { text: text ?? null, html: html === undefined ? null : readHtml(html, subject) };
  return flat(newText(body, { subject, answers, earlier: known }) ?? "");
}

describe.each(["tuned", "held back"] as const)("of the replies and first mails written by hand that are %s", (half) => {
  const replies = writtenReplies(half);

  test("there are twenty", () => {
    expect(replies.length).toBeGreaterThan(20);
  });

  test("none loses what the person wrote", () => {
    const lost = replies.filter((reply) => !reply.own.every((line) => readWritten(reply).includes(flat(line))));
    expect(lost.length, half === "tuned" ? lost.map(({ name }) => name).join("\n") : "").toBe(0);
  });

  test("nearly all lose their quotes", () => {
    const quoting = replies.filter(({ quoted }) => quoted.length > 0);
    const left = quoting.filter((reply) => reply.quoted.some((line) => readWritten(reply).includes(flat(line))));
    expect(left.length / quoting.length).toBeLessThanOrEqual(1 - QUOTES_REMOVED);
  });
});
