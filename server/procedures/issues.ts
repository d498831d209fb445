// Says what is wrong with a field in the words of the API, from what zod says.
import type { z } from "zod";
import type { Issue } from "../base/errors/body.ts";
import { nearValue } from "./near-names.ts";

type Problem = z.core.$ZodIssue;
/** Of the texts of zod. */
const WRONG_TYPE = /^Invalid input: expected (\w+), received (\w+)$/;
const LIST_SIZE = /^Too (?:big|small): expected array /;
const NONE_OF = /^Invalid (option|input): expected /;
const NOUNS = new Map([
  ["string", "text"],
  ["number", "a number"],
  ["int", "a whole number"],
  ["boolean", "true or false"],
  ["array", "a list"],
  ["object", "an object"],
  ["record", "an object"],
]);
const nounOf = (type: string) => NOUNS.get(type) ?? type;

/**
 * A problem with a field, in the words of the API.
 * @param input which has the field
 */
export function issueOf(issue: Problem, input?: unknown): Issue {
  // Of a text or a list, the item that is wrong.
  const inside = issue.code === "invalid_union" ? issue.errors.find(([first]) => first && first.path.length > 0) : [];
  if (inside?.[0]) return issueOf({ ...inside[0], path: [...issue.path, ...inside[0].path] }, input);
  return { path: issue.path.join("."), message: `${wordsOf(issue)}${hintOf(issue, input)}` };
}

/** Which of the values the one in the input means. */
function hintOf(issue: Problem, input: unknown): string {
  if (issue.code !== "invalid_value" || !NONE_OF.test(issue.message)) return "";
  const given = issue.path.reduce<unknown>(
    (at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
    input,
  );
  const near = typeof given === "string" ? nearValue(given, issue.values.map(String)) : undefined;
  return near ? `; did you mean \`${near}\`?` : "";
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null;
}

function wordsOf(issue: Problem): string {
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const firsts = issue.errors.flatMap(([first]) => (first && first.path.length === 0 ? [first] : []));
    // A value of one of the kinds, with a wrong size.
    const sized = firsts.find(({ code }) => code === "too_big" || code === "too_small");
    if (sized) return wordsOf(sized);
    const words = firsts.map(wordsOf);
    const kinds = [...new Set(words.map((each) => each.replace(/^is missing; it takes |^must be |, and is .*$/g, "")))];
    const isMissing = words.some((each) => each.startsWith("is missing"));
    if (words.length > 0) return `${isMissing ? "is missing; it takes" : "must be"} ${kinds.join(" or ")}`;
  }
  // What is wrong with the name of a field of an object with any names.
  const [ofKey] = issue.code === "invalid_key" ? issue.issues : [];
  if (ofKey) return `the key ${wordsOf(ofKey)}`;
  if (issue.code === "too_small" && issue.origin === "string") {
    return issue.minimum === 1 ? "must not be empty" : `must have at least ${issue.minimum} characters`;
  }
  if (issue.code === "too_big" && issue.origin === "string") return `must have at most ${issue.maximum} characters`;
  if (issue.code === "too_small" && LIST_SIZE.test(issue.message)) {
    return issue.minimum === 1 ? "must not be empty" : `must have at least ${issue.minimum} items`;
  }
  if (issue.code === "too_big" && LIST_SIZE.test(issue.message)) return `must have at most ${issue.maximum} items`;
  if (issue.code === "too_big" && issue.origin === "number") return `must be at most ${issue.maximum}`;
  if (issue.code === "too_small" && issue.origin === "number") return `must be at least ${issue.minimum}`;
  if (issue.code === "invalid_value" && NONE_OF.test(issue.message)) {
    return issue.values.length === 1
      ? `must be ${String(issue.values[0])}`
      : `must be one of ${issue.values.map(String).join(", ")}`;
  }
  const [, expected = "", received] = WRONG_TYPE.exec(issue.message) ?? [];
  if (received === "undefined") return `is missing; it takes ${nounOf(expected)}`;
  if (received !== undefined) return `must be ${nounOf(expected)}, and is ${nounOf(received)}`;
  return issue.message;
}
