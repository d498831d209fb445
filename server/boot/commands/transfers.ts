// The operators' commands `organizations export` and `organizations import`.
import { readFile } from "node:fs/promises";
import { type Exported, exportOrganization } from "#db/transfer/export.ts";
import { type Imported, importOrganization } from "#db/transfer/import.ts";
import { decodeId } from "../../base/ids.ts";
import { secretBox } from "../../base/secrets.ts";
import { chooseBlobs } from "../assemble.ts";
import { migrateDatabase } from "../database.ts";
import { encryptionKey } from "../encryption-key.ts";
import { importRules } from "./import-rules.ts";
import { bad } from "./options.ts";
import type { Place } from "./session.ts";

const KEY_BYTES = 32;

/** `key`: a file with the key that encrypts the secrets of the export. */
export type TransferOptions = { key: string };

async function transferKey(file: string): Promise<Buffer> {
  const key = Buffer.from((await readFile(file, "utf8")).trim(), "base64");
  if (key.length !== KEY_BYTES) throw bad(`${file} must have ${KEY_BYTES} bytes in base64 (openssl rand -base64 32).`);
  return key;
}

async function optionsOf({ settings, log, url, directUrl, report }: Place, { key }: TransferOptions) {
  const boxes = { own: secretBox(encryptionKey(settings, log)), transfer: secretBox(await transferKey(key)) };
  await migrateDatabase(settings, { url, directUrl }, log);
  const { DATABASE_SCHEMA: schema, DEFAULT_DOMAIN: defaultDomain } = settings;
  return { url: directUrl, schema, defaultDomain, boxes, report };
}

/** @param organization its id or name @param options `to`: a new folder */
export async function exportOne(
  place: Place,
  organization: string,
  options: TransferOptions & { to: string },
): Promise<Exported> {
  const { settings, log } = place;
  const blobs = chooseBlobs(settings, secretBox(encryptionKey(settings, log)));
  try {
    return await exportOrganization({
      ...(await optionsOf(place, options)),
      organization: decodeId("org", organization) ?? organization,
      folder: options.to,
      load: (organizationId, blob) => blobs.load(organizationId, { bytes: null, blob }),
    });
  } finally {
    await blobs.close();
  }
}

/** @param folder that an export has written */
export async function importOne(place: Place, folder: string, options: TransferOptions): Promise<Imported> {
  return importOrganization({ ...(await optionsOf(place, options)), rules: importRules(place), folder });
}
