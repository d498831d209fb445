// A PostgreSQL for tests of any runner: one server, one migrated template, and a fresh copy of it in under a tenth of a second.
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sql } from "postgres";
import { connect } from "#db/client.ts";
import { startEmbedded } from "#db/embedded/open.ts";
import { migrate } from "#db/migrate.ts";
import { createLog } from "#server/base/log.ts";
import { copyCluster } from "./cluster-template.ts";

const FOLDER_PREFIX = "mailberth-test-";
/** The server's user, which is not ours when we are root, must be able to enter. */
const FOLDER_MODE = 0o755;

/** What a test needs to make databases: plain data, to be handed to other processes. */
export type TestServer = { adminUrl: string; template: string };
export type TestDatabase = { url: string; drop: () => Promise<void> };

/** Each service of a test opens up to fifteen, and each test file may have several services; the default is 100. */
const CONNECTIONS_MAX = 400;

const log = createLog("warn", false);

function urlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** Of each server. A connection costs the server 30 ms of CPU, and a test file ends with a statement just before the next begins. */
const administrators = new Map<string, Sql>();
const ADMINISTRATOR_IDLE_SECONDS = 1;

function administratorOf(adminUrl: string): Sql {
  const known = administrators.get(adminUrl);
  if (known) return known;
  const sql = connect(adminUrl, { max: 1, idle_timeout: ADMINISTRATOR_IDLE_SECONDS, onnotice: () => {} });
  administrators.set(adminUrl, sql);
  return sql;
}

async function administer(adminUrl: string, statement: string): Promise<void> {
  await administratorOf(adminUrl).unsafe(statement);
}

async function startServer(template: string | undefined): Promise<{ url: string; stop: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), FOLDER_PREFIX));
  await chmod(dataDir, FOLDER_MODE);
  if (template) await copyCluster(template, dataDir);
  const first = await startEmbedded({ dataDir, log });
  await administer(first.url, `alter system set max_connections = ${CONNECTIONS_MAX}`);
  // It counts from the next start.
  await first.stop();
  const { url, stop } = await startEmbedded({ dataDir, log });
  return { url, stop: () => stop().then(() => rm(dataDir, { recursive: true, force: true })) };
}

/**
 * Starts an embedded server in a temporary folder, or uses the one at `databaseUrl`, and migrates a template there.
 * @param databaseUrl a server where tests may create databases
 * @param cluster a template to copy instead of making a cluster
 * @returns `server` for `copyDatabase`, and `stop`, which leaves nothing behind
 */
export async function startTestServer(databaseUrl = process.env.DATABASE_URL, cluster?: string) {
  const { url: adminUrl, stop } = databaseUrl ? { url: databaseUrl, stop: async () => {} } : await startServer(cluster);
  const template = `mailberth_template_${randomBytes(6).toString("hex")}`;
  const server: TestServer = { adminUrl, template };
  await administer(adminUrl, `create database ${template}`);
  await migrate({ url: urlOf(adminUrl, template), log });
  return {
    server,
    async stop() {
      await administer(adminUrl, `drop database if exists ${template} with (force)`);
      await stop();
    },
  };
}

/** Creates a database: a copy of the migrated template, or an empty one. */
export async function copyDatabase({ adminUrl, template }: TestServer, from = template): Promise<TestDatabase> {
  const name = `mailberth_test_${randomBytes(6).toString("hex")}`;
  // The server copies files, which costs half of the CPU of its default, by which each page goes through its log.
  await administer(adminUrl, `create database ${name} template ${from} strategy file_copy`);
  return {
    url: urlOf(adminUrl, name),
    drop: () => administer(adminUrl, `drop database if exists ${name} with (force)`),
  };
}
