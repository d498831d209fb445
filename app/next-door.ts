// Hands a request to the service of this process, which `instrumentation.ts` starts. Under `npm start` the front door answers first.
import type { AnswerInNext } from "#server/api/next-door.ts";

const DOOR = Symbol.for("mailberth.door");
const NOT_HERE = { error: { code: "not_found", message: "There is nothing here.", fix: "Check the path." } };

/** @returns 404 where no service runs inside Next */
export async function answer(request: Request): Promise<Response> {
  const door: AnswerInNext | undefined = Reflect.get(globalThis, DOOR);
  return door ? door(request) : Response.json(NOT_HERE, { status: 404 });
}
