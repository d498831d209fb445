// The tests of mail and attachments in S3, with Ceph's radosgw as S3 instead of s3rver. Debian's packages of CONTRIBUTING.md must be installed.
import { defineConfig, mergeConfig } from "vitest/config";
import { whyNoRadosgw } from "./support/s3/radosgw.ts";
import base from "./vitest.config.ts";

const FILES = [
  "test/contracts/blobs/blobs.test.ts",
  "test/blobs/*.test.ts",
  "test/boot/content-in-s3.test.ts",
  "test/flows/killed-blobs.test.ts",
  "test/operators/storage.operators.ts",
  "test/radosgw/*.radosgw.ts",
];

const why = whyNoRadosgw();
if (why) console.log(`skipped: ${why}`);

const config = mergeConfig(base, defineConfig({ test: { passWithNoTests: true } }));
export default {
  ...config,
  test: {
    ...config.test,
    include: why ? [] : FILES,
    globalSetup: ["test/support/global-setup.ts", ...(why ? [] : ["test/support/s3/radosgw-setup.ts"])],
    outputFile: { json: "test-results/vitest-radosgw.json" },
  },
};
