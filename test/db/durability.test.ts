// What the connections of the pool promise: a commit is on disk before it is answered.
import { afterAll, expect, test } from "vitest";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web" });
afterAll(service.stop);

test("no connection of the service weakens a commit", async () => {
  const { sql } = service.system;
  const [row] = await sql`
    select current_setting('synchronous_commit') as synchronous_commit, current_setting('fsync') as fsync,
      current_setting('full_page_writes') as full_page_writes`;
  expect(row).toEqual({ synchronous_commit: "on", fsync: "on", full_page_writes: "on" });
});
