// A mailbox and everything that a test of waiting does with it.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { request } from "node:http";
import type { Socket } from "node:net";
import { expect } from "vitest";
import { type Answer, type Api, type Failure, inboxPath } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import type { TestService } from "#test/support/service.ts";

export type Waited = {
  timed_out: boolean;
  message: {
    id: string;
    subject: string;
    from: string;
    text: string | null;
    status: string;
    attachments: object[];
    authentication: object | null;
  } | null;
  event_id: string | null;
  extracted: { otp: string | null; link: string | null; confidence: number; link_host_matches_sender: boolean | null };
  cursor: string;
};
export const NOTHING = { otp: null, link: null, confidence: 0, link_host_matches_sender: null };

/** A mailbox of a new organization. */
export async function mailboxThatWaits(service: TestService, client: Api) {
  const organization = await service.newOrganization();
  const key = organization.agentKey;
  const inbox = await client.createInbox(key);
  return {
    ...organization,
    key,
    inbox,
    mail: (subject: string, more: { from?: string; text?: string; html?: string } = {}) =>
      service.mail({ from: "a@else.example", to: inbox.address, subject, ...more }),
    async wait(json: object = {}): Promise<Waited> {
      const { status, body, text } = await client.post<Waited>(inboxPath(inbox.address, "/wait"), json, { key });
      if (status !== 200) throw new Error(`wait: ${status} ${text}`);
      return body;
    },
    refused: (json: object): Promise<Answer<Failure>> => client.post(inboxPath(inbox.address, "/wait"), json, { key }),
  };
}

/** Resolves once a service has so many waits open. A test has them to itself. */
export function untilOpen({ system }: TestService, waits: number): Promise<void> {
  const open = () => system.openAnswers.used;
  return eventually(() => expect(open()).toBe(waits));
}

/** Resolves once so many statements wait for a lock that a test holds. */
export function untilHeldUp({ system }: TestService, statements: number): Promise<void> {
  return eventually(async () => expect(await waitingForLocks(system.sql)).toBe(statements));
}

/** A POST, without `json` a GET, on a connection of its own. `hangUp` resolves when the service has noticed that the caller is gone. */
export function callAlone({ url }: TestService, path: string, { key, json }: { key: string; json?: object }) {
  const accepted: Socket[] = [];
  const accept = (message: unknown) => void accepted.push((message as { socket: Socket }).socket);
  subscribe("net.server.socket", accept);
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const call = request(url + path, { method: json ? "POST" : "GET", agent: false, headers });
  call.on("error", () => {}); // by hanging up
  call.end(json && JSON.stringify(json));
  return {
    async hangUp(): Promise<void> {
      const ours = accepted.find(({ remotePort }) => remotePort === call.socket?.localPort);
      unsubscribe("net.server.socket", accept);
      call.destroy();
      await eventually(() => expect(ours?.closed).toBe(true));
    },
  };
}
