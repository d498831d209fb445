// What the tests of drafts share: mailboxes that write drafts.
import { type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { startReplyRig } from "../reply-rig.ts";

export type Draft = {
  id: string;
  revision: number;
  to: string[];
  recipients: string[];
  subject: string | null;
  text: string | null;
  attachments: { filename: string; content_type: string; size: number }[];
};

export const file = (content: string) => {
  return { filename: "a.txt", content_type: "text/plain", content_base64: Buffer.from(content).toString("base64") };
};

export async function startDraftsRig(environment: Record<string, string> = {}) {
  const rig = await startReplyRig({ ROLES: "web,smtp,worker", ...environment });
  const { client } = rig;

  /** A mailbox with the calls of drafts. */
  async function writer() {
    const inbox = await rig.newReader();
    const { key, address } = inbox;
    const path = (id: string, rest = "") => `/v1/drafts/${id}${rest}`;
    return {
      ...inbox,
      create: (json: object = {}) => client.post<Draft & Failure>("/v1/drafts", { inbox: address, ...json }, { key }),
      get: (id: string) => client.get<Draft & Failure>(path(id), { key }),
      drafts: async (query = "") => (await client.get<Page<Draft>>(`/v1/drafts${query}`, { key })).body,
      patch: (id: string, json: object) => client.patch<Draft & Failure>(path(id), json, { key }),
      remove: (id: string) => client.delete<Failure>(path(id), { key }),
      sendDraft: (id: string, json: object) => client.post<Sent & Failure>(path(id, "/send"), json, { key }),
      stored: async () =>
        (await client.get<{ used_bytes: number }>(inboxPath(address, "/storage"), { key })).body.used_bytes,
    };
  }
  return { ...rig, writer };
}
