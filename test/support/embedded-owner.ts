// A service reduced to its database: owns the embedded PostgreSQL of a data folder until SIGTERM. Prints its url when ready.
import { startEmbedded } from "#db/embedded/open.ts";
import { createLog } from "#server/base/log.ts";

const dataDir = process.argv[2];
if (!dataDir) {
  throw new Error("usage: embedded-owner.ts <data folder>");
}
const { url, stop } = await startEmbedded({ dataDir, log: createLog("fatal", false) });
process.once("SIGTERM", () => void stop().then(() => process.exit(0)));
setInterval(() => {}, 60_000);
process.stdout.write(`${url}\n`);
