// What pausing and resuming take and return.
import { z } from "zod";
import { addr, exampleId, givenId, line, moment } from "../../base/fields.ts";

const REASON_CHARS = 200;

const reason = line(REASON_CHARS)
  .trim()
  .optional()
  .meta({ description: "Why, for the people who read it.", example: "The agent writes to the wrong people." });
const keyId = givenId("akey", "Id of the key.");

export const pauseInboxInput = z.object({ addr, reason });
export const keyInput = z.object({ id: keyId });
export const pauseKeyInput = z.object({ id: keyId, reason });
export const resumeOrganizationInput = z.object({});
export const pauseOrganizationInput = z.object({ reason });

const count = (description: string, example: number) => z.int().meta({ description, example });

export const pauseOutput = z
  .object({
    scope: z.enum(["organization", "inbox", "agent_key"]).meta({
      description: "What is paused. `agent_key`: all mail of the key and of the keys below it.",
    }),
    id: z.string().meta({ description: "Id of the organization, mailbox or key.", example: exampleId("inb") }),
    since: moment("When it was paused."),
    paused_by: z.string().meta({ description: "Who paused it.", example: "Ann" }),
    by_operator: z.boolean().meta({
      description: "Whether the operator of the service paused it. Then only they resume it.",
      example: false,
    }),
    reason: z.string().nullable().meta({ description: "Reason of the pause. Null: none was given.", example: null }),
    in_flight: count(
      "Messages that a worker has taken from the queue. Those whose transmission has begun still leave.",
      2,
    ),
    queued: count("Messages that stay in the queue until the pause ends.", 31),
    scheduled: count("Scheduled messages that wait, until their time and until the pause ends.", 4),
  })
  .meta({ id: "SendingPause" });

/** `address`: of a mailbox. */
export const pausesOutput = z.object({ data: z.array(pauseOutput.extend({ address: z.string().nullable() })) });
export const resumeOutput = z.object({ resumed: z.boolean(), paused: z.boolean() });
