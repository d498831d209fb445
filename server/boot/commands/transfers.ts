// The operators' commands `organizations export` and `organizations import`.
import { readFile } from "node:fs/promises";
import { type Exported, exportOrganization } from "#db/transfer/export.ts";
import { type Imported, importOrganization } from "#db/transfer/import.ts";
import type { Settings } from "../../base/env.ts";
import { ServiceError } from "../../base/errors.ts";
import { decodeId } from "../../base/ids.ts";
import type { Logger } from "../../base/log.ts";
import { secretBox } from "../../base/secrets.ts";
import { chooseBlobs } from "../assemble.ts";
import { migrateDatabase } from "../database.ts";
import { encryptionKey } from "../encryption-key.ts";

const KEY_BYTES = 32;

type Input = {
  settings: Settings;
  log: Logger;
  url: string;
  directUrl: string;
  report: (line: string) => void;
  id: string | undefined;
  option: (name: string) => string | undefined;
};

/** The key of `--key`, which encrypts the secrets of the export. */
async function transferKey(file: string | undefined): Promise<Buffer> {
  if (file === undefined)
    throw bad("--key is needed: a file with 32 bytes in base64. Make one with: openssl rand -base64 32");
  const key = Buffer.from((await readFile(file, "utf8")).trim(), "base64");
  if (key.length !== KEY_BYTES) throw bad(`${file} must have ${KEY_BYTES} bytes in base64 (openssl rand -base64 32).`);
  return key;
}

const bad = (message: string) => new ServiceError("invalid_request", message);

async function optionsOf({ settings, log, url, directUrl, report, option }: Input) {
  const boxes = { own: secretBox(encryptionKey(settings, log)), transfer: secretBox(await transferKey(option("key"))) };
  await migrateDatabase(settings, { url, directUrl }, log);
  const { DATABASE_SCHEMA: schema, DEFAULT_DOMAIN: defaultDomain } = settings;
  return { url: directUrl, schema, defaultDomain, boxes, report };
}

async function exportOne(input: Input): Promise<Exported> {
  const { id: organization, option } = input;
  const folder = option("to");
  if (!organization || !folder) throw bad("Name the organization, by id or name, and a new folder with --to.");
  const { settings, log } = input;
  const blobs = chooseBlobs(settings, secretBox(encryptionKey(settings, log)));
  try {
    return await exportOrganization({
      ...(await optionsOf(input)),
      organization: decodeId("org", organization) ?? organization,
      folder,
      load: (organizationId, blob) => blobs.load(organizationId, { bytes: null, blob }),
    });
  } finally {
    await blobs.close();
  }
}

async function importOne(input: Input): Promise<Imported> {
  if (!input.id) throw bad("Name the folder of the export.");
  return importOrganization({ ...(await optionsOf(input)), folder: input.id });
}

export const TRANSFERS: Record<string, (input: Input) => Promise<object>> = {
  "organizations export": exportOne,
  "organizations import": importOne,
};
