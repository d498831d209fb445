// A mailbox and everything that a test of waiting does with it.
import { type Answer, type Api, type Failure, inboxPath } from "#test/support/api.ts";
import type { TestService } from "#test/support/service.ts";

export type Waited = {
  timed_out: boolean;
  message: { id: string; subject: string; from: string; text: string | null; status: string } | null;
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

export const soon = (ms = 100) => new Promise((resolve) => setTimeout(resolve, ms));
