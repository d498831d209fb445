// Resend's received emails: what arrived in any mailbox.
import { z } from "zod";
import { writeRecipient } from "../../base/addresses.ts";
import { downloadLink } from "../compat/download.ts";
import { type Api, anyInput, route, withNames, without } from "../compat/route.ts";
import { attachmentOf, attachmentPage, type Listed, messageOf, messagePage, orNull, pageQuery } from "./parts.ts";

function itemView(message: Listed) {
  return {
    id: message.id,
    to: withNames(message.to, message, "to"),
    from: writeRecipient({ address: message.from, name: message.from_name ?? "" }),
    created_at: message.received_at,
    subject: message.subject,
    bcc: null,
    cc: orNull(withNames(message.cc, message, "cc")),
    reply_to: orNull(withNames(message.reply_to ?? [], message, "reply-to")),
    received_for: [message.inbox],
    message_id: message.rfc_message_id ? `<${message.rfc_message_id}>` : "",
    attachments: message.attachments.map(({ id, filename, size, content_type, content_id = null, inline }) => ({
      id,
      filename,
      size,
      content_type,
      content_id,
      content_disposition: inline ? "inline" : "attachment",
    })),
  };
}

async function get(api: Api, id: string) {
  const message = await messageOf(api, "inbound", id);
  const { url, expires_at } = downloadLink(api, { procedure: "messages.raw", input: { id } });
  return {
    object: "email",
    ...itemView(message),
    html: message.html,
    text: message.text,
    headers: Object.fromEntries(message.headers.map(({ name, value }) => [name.toLowerCase(), value])),
    raw: { download_url: url, expires_at },
  };
}

const getQuery = z.strictObject({ html_format: without("inline images keep their cid: links here", "cid") });

export const receivedRoutes = [
  route("GET /emails/receiving", pageQuery, (api, _, query) => messagePage(api, "inbound", query, itemView)),
  route("GET /emails/receiving/{id}", getQuery, (api, { id = "" }) => get(api, id)),
  route("GET /emails/receiving/{id}/attachments", pageQuery, async (api, { id = "" }, query) =>
    attachmentPage(api, await messageOf(api, "inbound", id), query),
  ),
  route(
    "GET /emails/receiving/{id}/attachments/{attachment_id}",
    anyInput,
    async (api, { id = "", attachment_id = "" }) =>
      attachmentOf(api, await messageOf(api, "inbound", id), attachment_id),
  ),
];
