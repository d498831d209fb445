// What the jsonb columns of `messages` hold.

/** One attachment; its bytes are in `attachments` (outbound) or in the raw mail (inbound). */
export type AttachmentInfo = {
  id: string;
  filename: string | null;
  content_type: string;
  size: number;
  inline: boolean;
};

/** What became of an outbound message at one recipient. */
export type RecipientResult = {
  address: string;
  outcome: "delivered" | "accepted" | "captured" | "refused";
  detail?: string;
};
