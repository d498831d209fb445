// Compares what DNS answers with an expected record.
import type { Expected, Judgement } from "./expected.ts";

// Compares the SPF records of a name with the mechanisms that mail from here needs (RFC 7208).
const FIX_CHARS = 450;
const VERSION = "v=spf1";

/** The terms after the version, without a `+`, which is the default qualifier. */
function termsOf(record: string): string[] {
  return record
    .trim()
    .split(/\s+/)
    .slice(1)
    .map((term) => (term.startsWith("+") ? term.slice(1) : term));
}

function isAll(term: string): boolean {
  return /^[~?-]?all$/i.test(term);
}

/** A receiver ignores what follows `all` (RFC 7208 §5.1). */
function effective(record: string): string[] {
  const terms = termsOf(record);
  const end = terms.findIndex(isAll);
  return end === -1 ? terms : terms.slice(0, end);
}

/** One record with the needed mechanisms first, the others after them, and the last `all` or `redirect`. */
function merged(needed: string[], records: string[]): string {
  const terms = records.flatMap(effective);
  const isEnd = (term: string) => /^redirect=/i.test(term);
  const others = terms.filter((term) => !isEnd(term) && !needed.includes(term.toLowerCase()));
  const end =
    records
      .flatMap(termsOf)
      .filter((term) => isAll(term) || isEnd(term))
      .at(-1) ?? "~all";
  return [VERSION, ...new Set([...needed, ...others]), end].join(" ");
}

/** @returns undefined if the name has no SPF record */
function judgeSpf(expected: Expected, values: string[]): Judgement | undefined {
  const records = values.filter((value) => /^v=spf1(\s|$)/i.test(value));
  const [only] = records;
  if (only === undefined) return undefined;
  const needed = effective(expected.value).map((term) => term.toLowerCase());
  const one = merged(needed, records).slice(0, FIX_CHARS);
  if (records.length > 1) {
    const fix = `Merge the ${records.length} SPF records of ${expected.name} into one TXT record: ${one}`;
    return { status: "mismatch", observed: records, fix };
  }
  const present = effective(only).map((term) => term.toLowerCase());
  if (needed.every((term) => present.includes(term))) return { status: "found", observed: records, fix: null };
  return { status: "mismatch", observed: records, fix: `Change the TXT record ${expected.name} to: ${one}` };
}

const found = (observed: string[]): Judgement => ({ status: "found", observed, fix: null });
const mismatch = (observed: string[], fix: string): Judgement => ({ status: "mismatch", observed, fix });

/** The first sentence that a person needs for a record that does not exist. */
export function addFix({ type, name, value, priority }: Expected): string {
  const what = priority === null ? value : `${priority} ${value}`;
  return `Add the ${type} record ${name} with the value ${what}`;
}

const missing = (expected: Expected): Judgement => ({ status: "missing", observed: [], fix: addFix(expected) });

/** @param values all records of the name and type, TXT strings joined, MX as `<priority> <host>` */
export function judge(expected: Expected, values: string[]): Judgement {
  const judgement = judgeValues(expected, values);
  if (expected.type !== "TXT" || judgement.status === "found") return judgement;
  const quoted = values.filter((value) => QUOTED.test(value));
  if (quoted.length === 0 || judgeValues(expected, values.map(unquoted)).status !== "found") return judgement;
  return mismatch(quoted, `Remove the quotation marks from the value of the TXT record ${expected.name}`);
}

/** Strings in the quotation marks of a zone file, which some forms of DNS providers take as a part of the value. */
const QUOTED = /^\s*"[^"]*"(?:\s*"[^"]*")*\s*$/;

function unquoted(value: string): string {
  return QUOTED.test(value) ? value.replace(/"\s*"|"/g, "").trim() : value;
}

function judgeValues(expected: Expected, values: string[]): Judgement {
  if (expected.type === "MX") return judgeMx(expected, values);
  if (expected.type === "CNAME") return judgeCname(expected, values);
  switch (expected.purpose) {
    case "spf":
    case "return_path_spf":
      return judgeSpf(expected, values) ?? missing(expected);
    case "dkim":
      return judgeDkim(expected, values);
    case "dmarc":
      return judgePolicy(expected, values, { version: "DMARC1", tag: "p", form: /^(none|quarantine|reject)$/i });
    case "tls_rpt":
      return judgePolicy(expected, values, { version: "TLSRPTv1", tag: "rua", form: /^(mailto:|https:)/i });
    case "mta_sts":
      return judgePolicy(expected, values, { version: "STSv1", tag: "id", form: idOf(expected) });
    default:
      return judgeExact(expected, values);
  }
}

/** Other organizations may have a record of their own at the same name. */
function judgeExact(expected: Expected, values: string[]): Judgement {
  const same = values.find((value) => value.trim() === expected.value);
  if (same) return found([same]);
  if (values.length === 0) return missing(expected);
  return mismatch(values, `${addFix(expected)}; other TXT records of this name can stay`);
}

function judgeCname(expected: Expected, values: string[]): Judgement {
  if (values.length === 0) return missing(expected);
  const plain = (name: string) => name.toLowerCase().replace(/\.$/, "");
  const same = values.some((value) => plain(value) === plain(expected.value));
  return same ? found(values) : mismatch(values, `Point the CNAME record ${expected.name} to ${expected.value}`);
}

/** Mail goes to the lowest preference first (RFC 5321 §5.1), so ours must be the only one of that preference. */
function judgeMx(expected: Expected, values: string[]): Judgement {
  if (values.length === 0) return missing(expected);
  const hosts = values.map((value) => {
    const [priority = "", host = ""] = value.split(" ");
    return { priority: Number(priority), host };
  });
  const ours = hosts.filter(({ host }) => host === expected.value).map(({ priority }) => priority);
  if (ours.length === 0) {
    return mismatch(values, `${addFix(expected)} and remove the MX records of other servers`);
  }
  const others = hosts.filter(({ host }) => host !== expected.value).map(({ priority }) => priority);
  if (Math.min(...ours) < Math.min(...others, Number.POSITIVE_INFINITY)) return found(values);
  return mismatch(
    values,
    `Remove the other MX records of ${expected.name}, or give ${expected.value} the lowest priority number`,
  );
}

/** `tag=value; tag=value`, without white space (RFC 6376 §3.2). */
function tagsOf(text: string): Map<string, string> {
  return new Map(
    text.split(";").map((part) => {
      const [name = "", ...value] = part.split("=");
      return [name.trim().toLowerCase(), value.join("=").replace(/\s+/g, "")];
    }),
  );
}

function judgeDkim(expected: Expected, values: string[]): Judgement {
  const keys = values.filter((value) => tagsOf(value).has("p"));
  const [only] = keys;
  if (only === undefined) return missing(expected);
  if (keys.length > 1) return mismatch(keys, `Keep only one TXT record at ${expected.name}: ${expected.value}`);
  const tags = tagsOf(only);
  const isRsa = (tags.get("k") ?? "rsa") === "rsa" && (tags.get("v") ?? "DKIM1") === "DKIM1";
  const isSame = isRsa && tags.get("p") === tagsOf(expected.value).get("p");
  return isSame ? found(keys) : mismatch(keys, `Replace the TXT record ${expected.name} with ${expected.value}`);
}

/** Any valid policy counts: the owner may choose a stricter one, or another address for reports. */
function judgePolicy(
  expected: Expected,
  values: string[],
  { version, tag, form }: { version: string; tag: string; form: RegExp },
): Judgement {
  const policies = values.filter((value) => new RegExp(`^v\\s*=\\s*${version}\\s*(;|$)`, "i").test(value));
  const [only] = policies;
  if (only === undefined) return missing(expected);
  if (policies.length > 1) return mismatch(policies, `Keep only one ${version} record at ${expected.name}`);
  return form.test(tagsOf(only).get(tag) ?? "")
    ? found(policies)
    : mismatch(policies, `Replace the TXT record ${expected.name} with ${expected.value}`);
}

/** Senders read a policy again only when its id is another one. */
function idOf(expected: Expected): RegExp {
  return new RegExp(`^${tagsOf(expected.value).get("id")}$`);
}
