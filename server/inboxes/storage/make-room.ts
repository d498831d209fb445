// Makes room in a full quota: the trash gives way to what is stored now.
import type { Services } from "../../base/context.ts";
import type { Owner } from "./count.ts";

/** Calls of `giveWay` for one mail or message. */
const ROOM_ROUNDS = 5;

declare module "../../base/context.ts" {
  interface Services {
    /** The trash of full mailboxes (messages/trash/give-way.ts). */
    trashRoom: {
      /** Mailbox → the bytes that its trash, and that of its organization, could free. */
      of(inboxIds: string[]): Promise<Map<string, { inbox: number; organization: number }>>;
      /**
       * Erases the oldest trash until a message of this size fits, or some of it.
       * @returns whether to try again; false, without a change, if all trash is not enough
       */
      giveWay(owner: Owner, size: number): Promise<boolean>;
    };
  }
}

/**
 * Repeats work that a quota refused, after the trash gave way. Only the refusal costs more.
 * @param fullOf whose quota refused it, and the size of the message; undefined if none did
 */
export async function withRoom<Result>(
  { trashRoom }: Pick<Services, "trashRoom">,
  work: () => Promise<Result>,
  fullOf: (outcome: { result?: Result; error?: unknown }) => { owner: Owner; size: number } | undefined,
): Promise<Result> {
  for (let round = 0; ; round += 1) {
    const outcome = await work().then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    const full = round < ROOM_ROUNDS ? fullOf(outcome) : undefined;
    if (full && (await trashRoom.giveWay(full.owner, full.size))) continue;
    if ("error" in outcome) throw outcome.error;
    return outcome.result;
  }
}
