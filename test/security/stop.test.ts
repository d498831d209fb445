// SIGTERM ends the service with exit 0, and its PostgreSQL with it: while it starts, when the database is frozen, and when asked twice.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { identifyProcess } from "#db/embedded/process.ts";
import { makeCluster } from "../support/cluster.ts";
import { cleanUp, serverPid, signalServer } from "../support/embedded-fixture.ts";
import { launchProcess, startProcess } from "../support/process.ts";

/** The service promises 10 s from the signal to the end; a busy machine gets more. */
const END_MAX_MS = 15_000;

afterEach(cleanUp);

const postmasterFile = (dataDir: string) => join(dataDir, "postgres/cluster/data/postmaster.pid");

async function timed<T>(work: Promise<T>): Promise<{ result: T; ms: number }> {
  const started = performance.now();
  return { result: await work, ms: performance.now() - started };
}

describe("SIGTERM", () => {
  it("stops a service whose database is frozen, and the database", async () => {
    const dataDir = await makeCluster();
    const service = await startProcess({ DATA_DIR: dataDir });
    const pid = await serverPid(join(dataDir, "postgres"));
    await signalServer(pid, "SIGSTOP");
    const { result, ms } = await timed(service.end("SIGTERM"));
    expect(result).toBe(0);
    expect(ms).toBeLessThan(END_MAX_MS);
    expect(identifyProcess(pid)).toBeUndefined();
  });

  it("during the start leaves no PostgreSQL behind", async () => {
    const dataDir = await makeCluster();
    const service = await launchProcess({ DATA_DIR: dataDir });
    await expect.poll(() => existsSync(postmasterFile(dataDir))).toBe(true);
    expect(await service.end("SIGTERM")).toBe(0);
    expect(existsSync(postmasterFile(dataDir))).toBe(false);
  });

  it("a second time does not wait for what is under way", async () => {
    const dataDir = await makeCluster();
    const service = await startProcess({ DATA_DIR: dataDir });
    await signalServer(await serverPid(join(dataDir, "postgres")), "SIGSTOP");
    service.child.kill("SIGTERM");
    await expect.poll(service.output).toContain("stopping");
    expect(await service.end("SIGTERM")).toBe(0);
    expect(existsSync(postmasterFile(dataDir))).toBe(false);
  });
});
