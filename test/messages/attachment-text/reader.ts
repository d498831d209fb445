// Sends files to a service, and reads their text as agents do.
import { expect } from "vitest";
import { type Api, type Failure, inboxPath, type Page } from "#test/support/api.ts";
import type { TestService } from "#test/support/service.ts";

export type Text = {
  kind: string;
  safe_text: { marker: string; text: string };
  next_offset: number | null;
  truncated: boolean;
};
type Message = { id: string; attachments: { id: string }[] };
export type File = { filename: string; content: Buffer; contentType?: string };

/** @param key of the agent that the mail is for, where no other is named */
export function textReader(service: TestService, client: Api, key: string) {
  /** The path of the text of its first attachment. */
  async function sent(mail: { attachments: File[] } | { raw: Buffer }, owner = key): Promise<string> {
    const { address } = await client.createInbox(owner);
    await service.mail({ from: "w@else.example", to: address, ...mail });
    const { data } = (await client.get<Page<{ id: string }>>(inboxPath(address, "/messages"), { key: owner })).body;
    const message = (await client.get<Message>(`/v1/messages/${data[0]?.id}`, { key: owner })).body;
    return `/v1/messages/${message.id}/attachments/${message.attachments[0]?.id}/text`;
  }
  return {
    sent,
    attached: (file: File, owner = key) => sent({ attachments: [file] }, owner),
    read: (path: string, query = "") => client.get<Text & Failure>(`${path}${query}`, { key }),
    /** What is between the two lines with the marker. */
    between({ safe_text: { marker, text } }: Text): string {
      const lines = text.split("\n");
      expect(lines.at(0)).toBe(`<<<untrusted mail ${marker}>>>`);
      expect(lines.at(-1)).toBe(`<<<end of untrusted mail ${marker}>>>`);
      return lines.slice(1, -1).join("\n");
    },
  };
}
