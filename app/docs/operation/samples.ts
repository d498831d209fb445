// Writes a call of an operation as code: curl, TypeScript, Python, and the command where it has one.
import type { Operation } from "../document/build-reference.ts";

export type Sample = { label: string; code: string };

/** The values that a call is made with, by the name of the parameter. */
type Values = Record<string, string>;

/** The commands of client/command for operations; a name in braces is the parameter of the path. */
const COMMANDS: Record<string, string> = {
  redeemEnrollmentKey: "mailberth enroll --url $MB $TOKEN",
  getCaller: "mailberth whoami",
  createInbox: "mailberth inboxes create --username quiet-otter-4821",
  listInboxes: "mailberth inboxes list",
  getInbox: "mailberth inboxes get {addr}",
  deleteInbox: "mailberth inboxes delete {addr}",
  sendMessage: 'mailberth send {addr} --to ann@example.com --subject "Hello" --text "Hello Ann."',
  replyToMessage: 'mailberth reply $MESSAGE --text "Thank you."',
  listMessages: "mailberth messages list {addr}",
  getMessage: "mailberth messages get $MESSAGE",
  waitForEmail: "mailberth wait {addr}",
  createDomain: "mailberth domains add example.com",
  listDomains: "mailberth domains list",
  getDomain: "mailberth domains get {domain}",
  verifyDomain: "mailberth domains verify {domain}",
};

/** Writes the values of the parameters over their names; without a value, the example of the document. */
function fill(
  template: string,
  parameters: Operation["parameters"],
  value: (name: string) => string | undefined,
): string {
  return template.replace(/\{(\w+)\}/g, (named, name: string) => {
    return (value(name) || parameters.find((parameter) => parameter.name === name)?.example) ?? named;
  });
}

/** The path and the query of a call. */
export function pathWith({ path, parameters }: Operation, values: Values = {}): string {
  const encoded = parameters.map((each) => ({ ...each, example: each.example && encodeURIComponent(each.example) }));
  const asked = parameters.flatMap(({ name, where, required, example }) => {
    const value = values[name] || (required ? example : "");
    return where === "query" && value ? [[name, value]] : [];
  });
  const filled = fill(path, encoded, (name) => values[name] && encodeURIComponent(values[name]));
  return asked.length > 0 ? `${filled}?${new URLSearchParams(asked)}` : filled;
}

/** The file in samples of calls whose body is a file. */
const FILE = "invoice.pdf";
const typeOf = ({ isFile }: NonNullable<Operation["body"]>) => (isFile ? "application/pdf" : "application/json");

function bodyOfCurl(body: Operation["body"]): string[] {
  if (!body) return [];
  const type = `-H "Content-Type: ${typeOf(body)}"`;
  if (body.isFile) return [type, `--data-binary @${FILE}`];
  return [type, `-d '${(body.example || "{}").replaceAll("'", "'\\''")}'`];
}

function curl(operation: Operation, url: string): string {
  const { method, needsKey, body } = operation;
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}"${url}"`,
    ...(needsKey ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...bodyOfCurl(body),
  ].join(" \\\n  ");
}

function typescript({ method, needsKey, body }: Operation, url: string): string {
  const headers = [
    ...(needsKey ? ['    Authorization: "Bearer " + process.env.KEY,'] : []),
    ...(body ? [`    "Content-Type": "${typeOf(body)}",`] : []),
  ];
  const lines = [
    `  method: "${method}",`,
    ...(headers.length > 0 ? ["  headers: {", ...headers, "  },"] : []),
    ...(body?.isFile ? [`  body: await openAsBlob("${FILE}"),`] : []),
    ...(body && !body.isFile ? [`  body: JSON.stringify(${(body.example || "{}").replaceAll("\n", "\n  ")}),`] : []),
  ];
  const imports = body?.isFile ? 'import { openAsBlob } from "node:fs";\n\n' : "";
  return `${imports}const answer = await fetch("${url}", {\n${lines.join("\n")}\n});\nconsole.log(answer.status, await answer.json());`;
}

/** JSON as a literal of Python. */
function pythonLiteral(json: string): string {
  return json
    .split("\n")
    .map((line) =>
      line.replace(
        /(^|: |^\s+)(true|false|null)(,?)$/,
        (_, before, word, after) => before + { true: "True", false: "False", null: "None" }[String(word)] + after,
      ),
    )
    .join("\n    ");
}

function python({ method, needsKey, body }: Operation, url: string): string {
  return [
    "import os, requests",
    "",
    `answer = requests.${method.toLowerCase()}(`,
    `    "${url}",`,
    ...(needsKey ? ['    headers={"Authorization": f"Bearer {os.environ[\'KEY\']}"},'] : []),
    ...(body?.isFile ? [`    data=open("${FILE}", "rb"),`] : []),
    ...(body && !body.isFile ? [`    json=${pythonLiteral(body.example || "{}")},`] : []),
    ")",
    "print(answer.status_code, answer.json())",
  ].join("\n");
}

/** The command of an operation; it has no form for the filters of a list. */
function commandOf({ id, parameters }: Operation, values: Values): string | undefined {
  const isFiltered = parameters.some(({ name, where }) => where === "query" && values[name]);
  const command = COMMANDS[id];
  return command === undefined || isFiltered ? undefined : fill(command, parameters, (name) => values[name]);
}

export function samplesOf(operation: Operation, origin: string, values: Values = {}): [Sample, ...Sample[]] {
  const url = origin + pathWith(operation, values);
  const command = commandOf(operation, values);
  return [
    { label: "curl", code: curl(operation, url) },
    { label: "TypeScript", code: typescript(operation, url) },
    { label: "Python", code: python(operation, url) },
    ...(command ? [{ label: "Command", code: command }] : []),
  ];
}
