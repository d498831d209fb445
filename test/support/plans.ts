// Records how PostgreSQL executed each statement of a service: plans with the rows that were really read, which the
// server's auto_explain sends as notices.
import { connect } from "#db/client.ts";
import { startProxy } from "./proxy.ts";

/** Type, length: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const HEADER_BYTES = 5;
const NOTICE = "N";
const MESSAGE_FIELD = "M";
const SPACES = /\s+/g;

type Node = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Node[];
};
/** `read`: the rows that one node read, in all its loops. */
export type Step = { does: string; read: number };
export type Executed = { statement: string; steps: Step[] };

function messageOf(body: string): string | undefined {
  return body
    .split("\0")
    .find((field) => field.startsWith(MESSAGE_FIELD))
    ?.slice(1);
}

function rowsOf(node: Node): number {
  const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  return (node["Actual Rows"] + removed) * node["Actual Loops"];
}

/** Scans with the rows that they read, and sorts with the rows that they sorted. */
function stepsOf(node: Node): Step[] {
  const below = (node.Plans ?? []).flatMap(stepsOf);
  const type = node["Node Type"];
  const place = [node["Relation Name"], node["Index Name"]].filter((name) => name !== undefined).join(" by ");
  if (/Scan$/.test(type)) return [{ does: `${type} ${place}`.trim(), read: rowsOf(node) }, ...below];
  if (!/Sort$/.test(type)) return below;
  const sorted = Math.max(0, ...(node.Plans ?? []).map((input) => input["Actual Rows"] * input["Actual Loops"]));
  return [{ does: type, read: sorted }, ...below];
}

function readNotice(text: string): Executed | undefined {
  const json = /plan:\s*(\{[\s\S]*\})\s*$/.exec(text)?.[1];
  if (!json) return;
  const { "Query Text": query, Plan } = JSON.parse(json) as { "Query Text": string; Plan: Node };
  return { statement: query.replace(SPACES, " ").trim(), steps: stepsOf(Plan) };
}

/** Reads what the server sends on one connection. */
function reader(add: (executed: Executed) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= HEADER_BYTES && rest.length > rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1);
      const isNotice = String.fromCharCode(rest[0] ?? 0) === NOTICE;
      const text = isNotice ? messageOf(rest.toString("utf8", HEADER_BYTES, end)) : undefined;
      const executed = text === undefined ? undefined : readNotice(text);
      if (executed) add(executed);
      rest = rest.subarray(end);
    }
  };
}

/**
 * @param url of a database, by a superuser
 * @returns `url` of the same database by way of a proxy; `executed`: every statement that was executed, as often as it was
 */
export async function recordPlans(url: string) {
  const sql = connect(url, { max: 1, fetch_types: false, onnotice: () => {} });
  const [row] = await sql<[{ name: string }]>`select quote_ident(current_database()) as name`;
  const settings = {
    session_preload_libraries: "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_format": "json",
    "auto_explain.log_level": "notice",
  };
  await sql`load 'auto_explain'`;
  for (const [name, value] of Object.entries(settings)) {
    await sql.unsafe(`alter database ${row.name} set ${name} = '${value}'`);
  }
  await sql.end();
  const executed: Executed[] = [];
  const proxy = await startProxy(url, undefined, () => reader((one) => executed.push(one)));
  return { url: proxy.url, executed, close: proxy.cut };
}
