// How much a newcomer reads to follow one call from its door to SQL: each file of a walk imports the next, within a budget.
import { importsOf, type Sources } from "./source.ts";

export type Walk = {
  /** From the door to the file whose statement reads or writes the rows. */
  files: string[];
  maxFiles: number;
  maxLines: number;
};

const REST = ["server/api/front-door.ts", "server/api/rest.ts"];
const TRPC = ["server/api/front-door.ts", "server/api/trpc-door.ts"];

export const WALKS: Record<string, Walk> = {
  create: {
    files: [...REST, "server/inboxes/create-router.ts", "server/inboxes/create.ts", "server/inboxes/insert.ts"],
    maxFiles: 5,
    maxLines: 450,
  },
  "paid create": {
    files: [
      ...REST,
      "server/inboxes/create-router.ts",
      "server/inboxes/create.ts",
      "server/inboxes/paid.ts",
      "server/payments/settle.ts",
    ],
    maxFiles: 7,
    maxLines: 800,
  },
  send: {
    files: [
      ...REST,
      "server/messages/outbound/router.ts",
      "server/messages/outbound/send.ts",
      "server/messages/outbound/queue.ts",
    ],
    maxFiles: 5,
    maxLines: 500,
  },
  "mail in": {
    files: [
      "server/smtp/listener.ts",
      "server/messages/inbound/receive.ts",
      "server/messages/inbound/receive-batch.ts",
    ],
    maxFiles: 4,
    maxLines: 600,
  },
  "dashboard list": {
    files: [...TRPC, "server/inboxes/router.ts", "server/inboxes/list.ts"],
    maxFiles: 5,
    maxLines: 450,
  },
};

/** A file holds SQL when it uses a tagged template of a connection, or drizzle. */
const SQL = /\b(?:sql|tx)(?:<[^`]*>)?\s*`|\.(?:select|insert|update|delete)\(/;

/** The procedures of all routers come together here: a door reaches every router by way of it. */
const ROUTERS = "server/api/router.ts";

export function walks(sources: Sources, all = WALKS): string[] {
  const arrows = new Set(importsOf(sources).map(({ from, to }) => `${from} ${to}`));
  const reaches = (from: string, to: string) =>
    arrows.has(`${from} ${to}`) || (arrows.has(`${from} ${ROUTERS}`) && arrows.has(`${ROUTERS} ${to}`));
  return Object.entries(all).flatMap(([name, { files, maxFiles, maxLines }]) => {
    const lines = files.reduce((sum, file) => sum + (sources.get(file)?.split("\n").length ?? 1) - 1, 0);
    const last = files.at(-1) ?? "";
    return [
      ...files
        .slice(1)
        .flatMap((to, i) => (reaches(files[i] ?? "", to) ? [] : [`${name}: ${files[i]} does not import ${to}`])),
      ...(SQL.test(sources.get(last) ?? "") ? [] : [`${name}: ${last} holds no SQL`]),
      ...(files.length > maxFiles ? [`${name}: ${files.length} files, at most ${maxFiles}`] : []),
      ...(lines > maxLines ? [`${name}: ${lines} lines, at most ${maxLines}`] : []),
    ];
  });
}
