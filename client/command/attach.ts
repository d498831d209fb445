// Reads the files of `--attach`: small ones become part of the call, larger ones are uploaded first.
import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { EXIT } from "./exit-codes.ts";
import { CommandProblem } from "./problem.ts";
import type { Session } from "./session.ts";

const IN_CALL_MAX_BYTES = 262_144;
/** The service's limit for a file. */
const FILE_MAX_BYTES = 26_214_400;

type Attachment = { filename?: string; content_base64?: string; upload_id?: string };

/**
 * @param isRepeatable whether the same files must give the same call: an upload has a new id each time
 * @throws CommandProblem (usage) for a file that cannot be read or is too large
 */
export async function attach({ client }: Session, paths: string[], isRepeatable: boolean): Promise<Attachment[]> {
  const attachments: Attachment[] = [];
  for (const path of paths) {
    const filename = basename(path);
    const content = await read(path);
    const content_base64 = content.toString("base64");
    if (isRepeatable || content.length <= IN_CALL_MAX_BYTES) attachments.push({ filename, content_base64 });
    else attachments.push({ upload_id: (await client.uploads.create.mutate({ filename, content_base64 })).id });
  }
  return attachments;
}

async function read(path: string): Promise<Buffer> {
  const named = JSON.stringify(path);
  const info = await stat(path).catch(() => undefined);
  if (!info?.isFile()) throw new CommandProblem(EXIT.usage, `There is no file ${named}. Check the path of --attach.`);
  if (info.size > FILE_MAX_BYTES) {
    throw new CommandProblem(
      EXIT.usage,
      `The file ${named} is larger than ${FILE_MAX_BYTES} bytes. Attach a smaller one.`,
    );
  }
  return readFile(path).catch((error: Error) => {
    throw new CommandProblem(EXIT.usage, `The file ${named} cannot be read: ${error.message}.`);
  });
}
