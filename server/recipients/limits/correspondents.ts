// Records who provably wrote to a mailbox: mail to them counts as replies. A From header alone proves nothing.
import { and, eq, exists, isNotNull, ne, notInArray, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import type { Authentication } from "#db/message-parts.ts";
import { correspondents, inboxes, messageRecipients, messages } from "#db/schema/mail.ts";
import type { Services } from "../../base/context.ts";
import { decodeId, encodeId } from "../../base/ids.ts";
import { isMac, mac } from "../../base/macs.ts";
import type { SecretBox } from "../../base/secrets.ts";

// Message-IDs of outbound mail, which carry an authentication code: mail that answers one was written by a person or a
// program that received it.
const PURPOSE = "message-id";
const OWN = /^(msg_[0-9a-z]{26})\.([0-9a-z]{16})@([^@\s]{1,255})$/;

/** `msg_….<code>@domain`, without angle brackets. @param id UUID of the message */
export function ownMessageId(secrets: SecretBox, id: string, domain: string): string {
  const wireId = encodeId("msg", id);
  return `${wireId}.${mac(secrets, PURPOSE, `${wireId}@${domain}`)}@${domain}`;
}

/** The UUID of the outbound message with this Message-ID; undefined if this service did not make it. */
export function readOwnMessageId(secrets: SecretBox, messageId: string): string | undefined {
  const [, wireId = "", code = "", domain = ""] = OWN.exec(messageId) ?? [];
  if (!wireId || !isMac(secrets, PURPOSE, { text: `${wireId}@${domain}`, code })) return;
  return decodeId("msg", wireId);
}

/** Of recipients for whom a message has not left. */
const NOT_LEFT = ["queued", "failed", "suppressed"] as const;
/** Of In-Reply-To and the last References of a mail. */
const ANSWERED_IDS_MAX = 20;

/** A parsed mail, with the ids of its header block. */
export type Received = {
  id: string;
  from: string;
  /** Null: not known yet, so that it proves nothing. */
  authentication: Authentication | null;
  messageId: string | null;
  inReplyTo: string | null;
  references: string[];
};

type Claim = { id: string; address: string; aligned: boolean; own: string | null; answers: string[] };

/**
 * Whether an answer may prove its sender. The agent that sent a message sees its Message-ID too, and could write the answer: not where the
 * domain of From has a policy that the mail does not pass, or whose policy cannot be read. DNS that does not answer is nothing that an
 * agent can cause.
 */
function mayAnswer({ authentication }: Received): boolean {
  return authentication !== null && ["pass", "none", "temperror"].includes(authentication.dmarc);
}

/** What a mail may prove; undefined if it proves nothing, which needs no query. */
function claimOf({ secrets }: Pick<Services, "secrets">, mail: Received): Claim | undefined {
  if (mail.from === "") return;
  const own = (messageId: string | null) => (messageId === null ? undefined : readOwnMessageId(secrets, messageId));
  const answered = [...mail.references, mail.inReplyTo].slice(-ANSWERED_IDS_MAX);
  const answers = mayAnswer(mail) ? [...new Set(answered.map(own).filter((id) => id !== undefined))] : [];
  const claim = {
    id: mail.id,
    address: mail.from.toLowerCase(),
    aligned: mail.authentication?.aligned_from === true,
    own: own(mail.messageId) ?? null,
    answers,
  };
  return claim.aligned || claim.own !== null || answers.length > 0 ? claim : undefined;
}

const sent = alias(messages, "sent");
const recipients = sql`lower((${sent.to_addresses} || ${sent.cc_addresses} || ${sent.bcc_addresses})::text)::text[]`;

function sentMessage(db: Services["db"], condition: SQL | undefined): SQL {
  return exists(
    db
      .select({ id: sent.id })
      .from(sent)
      .where(and(eq(sent.direction, "outbound"), condition)),
  );
}

/**
 * Which proof a mail gives. `aligned`: SPF or DKIM of the domain of From, aligned. `local`: its Message-ID is that of a
 * message which a mailbox of this service with this address sent to the recipient. `answer`: it answers a message that has left
 * this mailbox for this address; what is held, scheduled or cancelled reached nobody.
 */
function proofOf(db: Services["db"]): SQL {
  const isLocal = and(
    sql`${sent.id} = r.own`,
    eq(sent.from_address, messages.from_address),
    sql`lower(${messages.envelope_to}) = any(${recipients})`,
  );
  const isAnswer = and(
    sql`${sent.id} = any(r.answers)`,
    eq(sent.inbox_id, messages.inbox_id),
    exists(
      db
        .select({ index: messageRecipients.index })
        .from(messageRecipients)
        .where(
          and(
            eq(messageRecipients.message_id, sent.id),
            sql`lower(${messageRecipients.address}) = r.address`,
            // While it is being sent, a fast answer may come before the result is recorded.
            or(notInArray(messageRecipients.status, [...NOT_LEFT]), eq(sent.status, "sending")),
          ),
        ),
    ),
  );
  return sql`case when r.aligned then 'aligned' when ${sentMessage(db, isLocal)} then 'local'
    when ${sentMessage(db, isAnswer)} then 'answer' end`;
}

/** Keeps the first proof of each address. Mail of a deleted mailbox proves nothing. */
export async function recordCorrespondents(
  services: Pick<Services, "secrets" | "now">,
  statement: ReturnType<typeof prepareCorrespondents>,
  mails: Received[],
): Promise<void> {
  const claims = mails.flatMap((mail) => claimOf(services, mail) ?? []);
  if (claims.length === 0) return;
  const at = services.now().toISOString();
  await statement.execute({ ids: claims.map(({ id }) => id), claims: JSON.stringify(claims), at });
}

/** The statement of `recordCorrespondents`, which is built once, because all mail needs it. */
export function prepareCorrespondents(db: Services["db"]) {
  const rows = db
    .select({
      organization_id: messages.organization_id,
      inbox_id: messages.inbox_id,
      address: sql<string>`r.address`.as("address"),
      proof: sql<"aligned" | "local" | "answer">`p.proof`.as("proof"),
      created_at: sql<Date>`${sql.placeholder("at")}::timestamptz`.as("created_at"),
    })
    .from(messages)
    .innerJoin(inboxes, and(eq(inboxes.id, messages.inbox_id), eq(inboxes.status, "live")))
    .innerJoin(
      sql`json_to_recordset(${sql.placeholder("claims")}::text::json) as r(id uuid, address text, aligned boolean, own uuid,
        answers uuid[])`,
      sql`r.id = ${messages.id}`,
    )
    .crossJoinLateral(sql`(select ${proofOf(db)} as proof) p`)
    .where(and(anyOf(messages.id, sql.placeholder("ids")), ne(messages.direction, "outbound"), isNotNull(sql`p.proof`)))
    // In one order, so that two batches never wait for each other. The lock keeps the mailbox from being erased.
    .orderBy(messages.inbox_id, sql`r.address`)
    .for("share", { of: inboxes });
  return db.insert(correspondents).select(rows).onConflictDoNothing().prepare("record_correspondents");
}

/** How many of the addresses, which are distinct and in lower case, provably wrote to the mailbox. */
export function countCorrespondents(tx: Transaction, inboxId: string, addresses: string[]): Promise<number> {
  return tx.$count(correspondents, and(eq(correspondents.inbox_id, inboxId), anyOf(correspondents.address, addresses)));
}
