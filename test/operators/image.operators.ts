// The image of ops/Containerfile: it is built from Debian's and npm's packages, and its container tells the story of the README.
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TOLD, tell } from "#test/support/postgresql/story.ts";
import { buildImage, filesInBuild, runImage } from "./image.ts";

const ROOT = join(import.meta.dirname, "../..");
/** It installs the packages of the build and of the image, and builds the pages. */
const BUILD_TIMEOUT_MS = 1_200_000;
const RUN_TIMEOUT_MS = 240_000;
const USER = "10001";
const ANY_USER = "1234560";
const RECEIVERS_ON_LOOPBACK = { WEBHOOK_TARGETS: "any", ALLOW_INSECURE_WEBHOOKS: "true", DNS_SERVERS: "127.0.0.1:9" };

// podman takes a path of at most 50 characters.
const folder = await mkdtemp(join(tmpdir(), "image-"));
afterAll(() => rm(folder, { recursive: true, force: true }), BUILD_TIMEOUT_MS);
beforeAll(() => buildImage(folder), BUILD_TIMEOUT_MS);

describe("the image", { timeout: RUN_TIMEOUT_MS }, () => {
  test("is built without the files that hold secrets", async () => {
    const secrets = [".env", "ops/.env", "mailberth.env"]
      .map((path) => join(ROOT, path))
      .filter((path) => !existsSync(path));
    expect(secrets).not.toEqual([]);
    try {
      for (const path of secrets) await writeFile(path, "ENCRYPTION_KEY=secret\n");
      expect(await filesInBuild(folder, "*.env")).toEqual([]);
      // Positive control.
      expect(await filesInBuild(folder, ".env.example")).toEqual(["/source/.env.example"]);
    } finally {
      for (const path of secrets) await rm(path);
    }
  });

  test("tells the story, without root, without rights, on a root file system that cannot be written", async () => {
    const container = await runImage(folder, RECEIVERS_ON_LOOPBACK);
    try {
      expect(await tell(container)).toEqual(TOLD);
      expect((await fetch(container.url)).status).toBe(200);
      await container.checkHealth();
      expect(await container.execute("id", "--user")).toBe(USER);
      await expect(container.execute("touch", "/opt/mailberth/x")).rejects.toThrow("Read-only file system");
    } finally {
      expect(await container.stop(), container.output()).toBe(0);
    }
    expect(container.output()).toContain('"msg":"stopped"');
  });

  test("runs the story as a user of group 0 for whom the runtime adds an entry to /etc/passwd", async () => {
    const container = await runImage(folder, RECEIVERS_ON_LOOPBACK, { user: `${ANY_USER}:0`, volume: "of-any-user" });
    try {
      expect(await tell(container)).toEqual(TOLD);
      expect([await container.execute("id", "--user"), await container.execute("id", "--group")]).toEqual([
        ANY_USER,
        "0",
      ]);
    } finally {
      expect(await container.stop(), container.output()).toBe(0);
    }
  });

  test("keeps what is in its volume", async () => {
    const container = await runImage(folder, RECEIVERS_ON_LOOPBACK);
    try {
      // The first start printed them.
      expect(container.output()).not.toMatch(/mb_enroll_|join#/);
    } finally {
      expect(await container.stop(), container.output()).toBe(0);
    }
  });
});
