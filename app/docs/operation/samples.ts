// Writes a call of an operation as code: curl, TypeScript, Python, and the command where it has one.
import type { Operation } from "../document/reference.ts";

export type Sample = { label: string; code: string };

/** The commands of client/command for operations; their arguments are the examples of the document. */
const COMMANDS: Record<string, string> = {
  redeemEnrollmentKey: "mailberth enroll --url $MB $TOKEN",
  getCaller: "mailberth whoami",
  createInbox: "mailberth inboxes create --username quiet-otter-4821",
  listInboxes: "mailberth inboxes list",
  getInbox: "mailberth inboxes get quiet-otter-4821@mail.localhost",
  deleteInbox: "mailberth inboxes delete quiet-otter-4821@mail.localhost",
  sendMessage:
    'mailberth send quiet-otter-4821@mail.localhost --to ann@example.com --subject "Hello" --text "Hello Ann."',
  replyToMessage: 'mailberth reply $MESSAGE --text "Thank you."',
  listMessages: "mailberth messages list quiet-otter-4821@mail.localhost",
  getMessage: "mailberth messages get $MESSAGE",
  waitForEmail: "mailberth wait quiet-otter-4821@mail.localhost --from shop.example",
  createDomain: "mailberth domains add example.com",
  listDomains: "mailberth domains list",
  getDomain: "mailberth domains get example.com",
  verifyDomain: "mailberth domains verify example.com",
};

/** The path with the examples of its parameters; one without an example keeps its name. */
export function pathWith({ path, parameters }: Operation, values: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (named, name: string) => {
    const value = values[name] ?? parameters.find((parameter) => parameter.name === name)?.example;
    return value ? encodeURIComponent(value) : named;
  });
}

function curl(operation: Operation, url: string): string {
  const { method, needsKey, body } = operation;
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}"${url}"`,
    ...(needsKey ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(body ? ['-H "Content-Type: application/json"', `-d '${(body.example || "{}").replaceAll("'", "'\\''")}'`] : []),
  ].join(" \\\n  ");
}

function typescript({ method, needsKey, body }: Operation, url: string): string {
  const headers = [
    ...(needsKey ? ['    Authorization: "Bearer " + process.env.KEY,'] : []),
    ...(body ? ['    "Content-Type": "application/json",'] : []),
  ];
  const lines = [
    `  method: "${method}",`,
    ...(headers.length > 0 ? ["  headers: {", ...headers, "  },"] : []),
    ...(body ? [`  body: JSON.stringify(${(body.example || "{}").replaceAll("\n", "\n  ")}),`] : []),
  ];
  return `const answer = await fetch("${url}", {\n${lines.join("\n")}\n});\nconsole.log(answer.status, await answer.json());`;
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
    ...(body ? [`    json=${pythonLiteral(body.example || "{}")},`] : []),
    ")",
    "print(answer.status_code, answer.json())",
  ].join("\n");
}

export function samplesOf(operation: Operation, origin: string): Sample[] {
  const url = origin + pathWith(operation);
  const command = COMMANDS[operation.id];
  return [
    { label: "curl", code: curl(operation, url) },
    { label: "TypeScript", code: typescript(operation, url) },
    { label: "Python", code: python(operation, url) },
    ...(command ? [{ label: "Command", code: command }] : []),
  ];
}
