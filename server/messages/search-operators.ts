// Reads the operators that mail users know out of a search: `from:`, `subject:`, `is:unread`, `has:attachment` and others are filters.
import { MAIL_KINDS } from "#db/message-parts.ts";

/** A filter that an operator stands for. */
type OperatorFilters = {
  from?: string;
  to?: string;
  subject?: string;
  label?: string;
  without_label?: string;
  unread?: boolean;
  has_attachments?: boolean;
  direction?: "inbound" | "outbound";
  after?: string;
  before?: string;
};
type Read = OperatorFilters | string;

const DATE = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/;

/** @param elsewhere values that no filter stands for, and where what they mean is found */
const choice =
  (choices: Record<string, OperatorFilters>, elsewhere: Record<string, string> = {}) =>
  (value: string): Read => {
    const chosen = value.toLowerCase();
    const filters = Object.hasOwn(choices, chosen) ? choices[chosen] : undefined;
    const place = Object.hasOwn(elsewhere, chosen) ? `; ${elsewhere[chosen]}` : "";
    return filters ?? `takes ${Object.keys(choices).join(" or ")}${place}`;
  };

const time =
  (name: "after" | "before") =>
  (value: string): Read => {
    const [, year = "", month = "", day = ""] = DATE.exec(value) ?? [];
    const moment = new Date(`${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}T00:00:00Z`);
    // A day that the month does not have becomes one of the next.
    const isDay = !Number.isNaN(moment.getTime()) && moment.getUTCDate() === Number(day);
    return isDay ? { [name]: moment.toISOString() } : "takes a day such as 2026-11-20 (UTC)";
  };

const TRASH = "GET /v1/trash lists deleted mail";
const QUARANTINE = "the filter `quarantined=true` returns quarantined mail";
/** Folders of other services. */
const PLACES = {
  trash: TRASH,
  bin: TRASH,
  spam: QUARANTINE,
  junk: QUARANTINE,
  drafts: "GET /v1/drafts lists drafts",
  draft: "GET /v1/drafts lists drafts",
  scheduled: "the filter `status=scheduled` returns scheduled mail",
  anywhere: "a search without it finds mail of both",
  all: "a search without it finds mail of both",
};

/** Labels of Gmail that no message has here, since they cannot be added, and what returns the mail that has them there. */
const FILTERS_OF_LABELS = new Map([
  ["INBOX", "use `direction=inbound`"],
  ["UNREAD", "use `unread=true`"],
  ["TRASH", "GET /v1/trash lists deleted mail"],
  ["SPAM", "use `quarantined=true`"],
]);

/** @returns why no message has the label; undefined: one may have it */
export function labelFault(label: string): string | undefined {
  const call = FILTERS_OF_LABELS.get(label);
  return call && `is no label here; ${call}`;
}

/** What each operator means, or what it takes. */
const OPERATORS: Record<string, (value: string) => Read> = {
  from: (from) => ({ from }),
  to: (to) => ({ to }),
  subject: (subject) => ({ subject }),
  label: (label) => labelFault(label) ?? { label },
  "-label": (without_label) => ({ without_label }),
  is: choice({ unread: { unread: true }, read: { unread: false } }),
  has: choice({ attachment: { has_attachments: true }, attachments: { has_attachments: true } }),
  "-is": choice({ unread: { unread: false }, read: { unread: true } }),
  "-has": choice({ attachment: { has_attachments: false }, attachments: { has_attachments: false } }),
  in: choice({ inbox: { direction: "inbound" }, sent: { direction: "outbound" } }, PLACES),
  after: time("after"),
  before: time("before"),
};
/** Operators of other services. Other words with a colon, such as `re:` and `https:`, are words. */
const UNSUPPORTED = new Set(
  "bcc body category cc deliveredto filename header larger list newer newer_than older older_than rfc822msgid size smaller".split(
    " ",
  ),
);
/** Filters of lists that are no operators, by the names that searches have for them. */
const FILTERS: Record<string, string> = {
  kind: "kind",
  status: "status",
  direction: "direction",
  thread: "thread_id",
  thread_id: "thread_id",
  unread: "unread",
  has_attachments: "has_attachments",
};
const EXCLUDED = Object.keys(OPERATORS)
  .filter((operator) => operator.startsWith("-"))
  .join(":, ");
/** With the value in double quotes, or up to the next blank. */
const OPERATOR = /(?<!\S)(-?)([a-z_0-9]+):(?:"([^"]*)"?|(\S+))/gi;
const QUOTED = /"[^"]*"?/g;
/** All words must be there anyway. */
const QUOTED_OR_AND = /"[^"]*"?|(?<!\S)AND(?!\S)/g;
const OR = /(?<!\S)or(?!\S)/i;

/** `type:list` is a kind; before other values, `type:` is a word. */
function filterOf(operator: string, value: string): string | undefined {
  if (operator === "type" && MAIL_KINDS.some((kind) => kind === value.toLowerCase())) return "kind";
  return Object.hasOwn(FILTERS, operator) ? FILTERS[operator] : undefined;
}

/** `words`: the search without its operators. */
type ReadSearch = { words: string; filters: OperatorFilters };

/** @returns a text: why the search is refused */
export function readOperators(q: string): ReadSearch | string {
  const filters: OperatorFilters = {};
  let refusal: string | undefined;
  let found = 0;
  const plain = q.replace(QUOTED_OR_AND, (each) => (each === "AND" ? " " : each));
  const rest = plain.replace(OPERATOR, (all: string, minus: string, name: string, quoted?: string, bare?: string) => {
    const word = name.toLowerCase();
    const operator = `${minus}${word}`;
    const read = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
    const filter = filterOf(word, quoted ?? bare ?? "");
    const isOperator = Object.hasOwn(OPERATORS, word) || UNSUPPORTED.has(word);
    if (!isOperator && !filter) return all;
    found += 1;
    const value = (quoted ?? bare ?? "").trim();
    const others = filter
      ? `use the filter \`${filter}\` of the call`
      : `these are: ${Object.keys(OPERATORS).join(", ")}`;
    const meant = read?.(value) ?? `is not an operator here; ${others}`;
    if (minus && !read) refusal ??= `${operator}: cannot be excluded; ${EXCLUDED}: can, and words with -word`;
    else if (typeof meant === "string") refusal ??= `${operator}: ${meant}`;
    // Gmail groups words with brackets, `subject:(two words)`, which would end at the first blank.
    else if (value === "" || value.startsWith("("))
      refusal ??= `${operator}: needs a value; put several words in double quotes: ${operator}:"two words"`;
    else if (Object.keys(meant).some((each) => Object.hasOwn(filters, each)))
      refusal ??= `${operator}: can be given once`;
    else Object.assign(filters, meant);
    return " ";
  });
  if (refusal !== undefined) return refusal;
  if (found > 0 && OR.test(rest.replace(QUOTED, " ")))
    return "`or` separates words, not operators; search once for each";
  return { words: rest.trim(), filters };
}
