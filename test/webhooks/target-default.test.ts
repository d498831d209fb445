// Which targets webhooks may have where nobody says so: any on a developer's own machine, public ones alone anywhere else.
import { expect, test } from "vitest";
import { readSettings } from "#server/env.ts";

const DATABASE_URL = "postgres://u:p@db.example/mailberth";

test.each([
  ["any", {}],
  ["any", { HOST: "localhost" }],
  ["any", { HOST: "::1", DATABASE_URL: "" }],
  ["public", { HOST: "0.0.0.0" }],
  ["public", { HOST: "192.0.2.1", DATABASE_URL }],
  // A worker behind no port of its own, on a machine of many.
  ["public", { DATABASE_URL, ROLES: "worker" }],
  ["public", { HOST: "127.0.0.1", DATABASE_URL }],
  ["any", { DATABASE_URL, WEBHOOK_TARGETS: "any" }],
  ["public", { WEBHOOK_TARGETS: "public" }],
])("%s with %j", (targets, environment) => {
  expect(readSettings(environment).WEBHOOK_TARGETS).toBe(targets);
});
