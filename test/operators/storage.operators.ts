// The story of the README with mail and attachments in S3.
import { expect, it } from "vitest";
import { createEmptyDatabase } from "#test/support/database.ts";
import { TOLD, tellStory } from "#test/support/postgresql/story.ts";
import { startS3 } from "#test/support/s3/start.ts";

const STORY_MS = 120_000;

it("carries the story with BLOBS=s3", { timeout: STORY_MS }, async () => {
  const [s3, database] = await Promise.all([startS3(), createEmptyDatabase()]);
  expect(await tellStory({ DATABASE_URL: database.url, ...s3.settings })).toEqual(TOLD);
  expect((await s3.objects()).length).toBe(1);
  await database.drop();
  await s3.stop();
});
