// What an agent must see of what was acknowledged since the last kill: asked for over HTTP, a number of each kind.
import type { ServiceProcess } from "#test/support/process.ts";
import type { Ledger } from "./ledger.ts";
import { request } from "./load.ts";
import { violation } from "./stored.ts";
import type { System } from "./system.ts";

/** The newest of each kind. */
const ASKED = 20;
const SHOWN_CHARS = 100;

export async function checkReadable(system: System, ledger: Ledger): Promise<string[]> {
  const process = system.processes[0] as ServiceProcess;
  const get = (path: string) => request(process, system.key, "GET", path);
  const wrong: string[] = [];
  async function expectStatus(path: string, status: number): Promise<Record<string, unknown>> {
    const answer = await get(path);
    if (answer.status !== status) wrong.push(`GET ${path} answers ${answer.status}`);
    return answer.body;
  }
  const newest = <Item>(items: Iterable<Item>) => [...items].slice(-ASKED);
  for (const { id } of newest(ledger.created.values())) {
    if (!ledger.deleting.has(id)) await expectStatus(`/v1/inboxes/${id}`, 200);
  }
  for (const id of newest(ledger.deleted)) await expectStatus(`/v1/inboxes/${id}`, 404);
  for (const id of newest(ledger.sent.values())) await expectStatus(`/v1/messages/${id}`, 200);
  for (const { id, text } of newest(ledger.mailed.values())) {
    const body = await expectStatus(`/v1/messages/${id}`, 200);
    const read = String(body.text).replaceAll("\r\n", "\n").trim();
    if (read !== text) wrong.push(`message ${id} says ${JSON.stringify(read.slice(0, SHOWN_CHARS))}`);
  }
  return violation("answers are wrong", wrong);
}
