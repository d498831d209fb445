// The example of outcomes against local mode.
import { expect, test } from "vitest";
import { DEFAULT_SCOPES } from "#db/scopes.ts";
import { startTestService } from "#test/support/service.ts";
import { playOutcomes } from "../../examples/outcomes.ts";

test("plays a bounce, a complaint, a delay, an absence note, an answer and silence", async () => {
  const service = await startTestService();
  const { enrollmentKey } = await service.newOrganization({ scopes: [...DEFAULT_SCOPES] });
  expect(await playOutcomes({ url: service.url, enrollmentKey })).toEqual({
    bounce: "550 5.1.1 The mailbox does not exist",
    complaint: "complained",
    defer: "delivered",
    away: "automatic",
    reply: "Re: Hello",
    silence: true,
  });
  await service.stop();
});
