// The raw bytes of stored mail, made by SQL for the messages that mail-data.ts makes.
import { connect } from "#db/client.ts";

/** With the headers and the text, a mail has about 4 KiB. Half of it does not compress, like the attachments of real mail. */
const HASHES = 24;
const TEXT_REPEATS = 3;

/** Writes `raw_messages` for each message that has none. Each mail differs. */
export async function addRawMail(databaseUrl: string): Promise<void> {
  const sql = connect(databaseUrl, { max: 1, fetch_types: false });
  try {
    await sql`
      insert into raw_messages (message_id, organization_id, bytes)
      select m.id, m.organization_id, convert_to(
        'From: ' || from_address || e'\r\nTo: ' || to_addresses[1] || e'\r\nSubject: ' || subject || e'\r\nMessage-ID: <' || rfc_message_id
          || e'>\r\nMIME-Version: 1.0\r\n\r\n' || repeat(text || e'\r\n', ${TEXT_REPEATS}::int) || random.hashes, 'UTF8')
      from messages m cross join lateral (
        select string_agg(encode(sha512(convert_to(m.id || '.' || n, 'UTF8')), 'base64'), e'\r\n') as hashes
        from generate_series(1, ${HASHES}::int) n) random
      where direction = 'inbound' and not exists (select from raw_messages r where r.message_id = m.id)`;
    await sql`vacuum (analyze) raw_messages`;
  } finally {
    await sql.end();
  }
}
