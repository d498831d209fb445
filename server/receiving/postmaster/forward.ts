// Forwards mail to `postmaster` as a short notice to the people who are responsible for the domain.
import { and, eq, lt, sql } from "drizzle-orm";
import { postmasterDays } from "#db/schema/domains.ts";
import type { Ctx, System } from "../../base/context.ts";
import { isHosted } from "../../grants/hosted.ts";
import { type HeaderBlock, readHeaders } from "../../mime/headers.ts";
import { foreignLine, foreignText } from "../../system-mail/foreign.ts";
import { type Recipient, recipientsOf, toAddress, writeNotices } from "../../system-mail/write.ts";
import { storable, summarize } from "../headers.ts";
import { parseMail } from "../parse-mail.ts";
import type { Postmaster } from "./find.ts";

export const POSTMASTER_MAX_BYTES = 1024 * 1024;
const FORWARDED_PER_DAY = 20;
const TEXT_CHARS = 4_000;
const SENDER_CHARS = 320;
const SUBJECT_CHARS = 200;
const CPU_MS = 2_000;
const DAY_CHARS = "2026-01-31".length;
/** All of this mail shares one turn of the threads: its senders are strangers. */
const TURN = "postmaster";

type Received = { envelopeFrom: string; raw: Buffer };
type Forwarding = "forwarded" | "automatic" | "over_limit" | "no_recipient";

/** Never answers the sender, and forwards no automatic mail, so that no loop can start. */
export async function forwardToPostmaster(ctx: Ctx<System>, to: Postmaster, mail: Received): Promise<void> {
  ctx.metrics.postmasterMails.inc({ outcome: await forward(ctx, to, mail) });
}

async function forward(ctx: Ctx<System>, to: Postmaster, mail: Received): Promise<Forwarding> {
  const block = readHeaders(mail.raw);
  if (mail.envelopeFrom === "" || isAutomatic(block)) return "automatic";
  const recipients = await forwardedTo(ctx, to);
  if (recipients.length === 0) return "no_recipient";
  if (!(await countOne(ctx, to.domain))) return "over_limit";
  const email = emailOf(to, mail.envelopeFrom, block, await textOf(ctx, mail.raw));
  const written = recipients.map((recipient) => ({ organization_id: to.organizationId, ...recipient, ...email }));
  await ctx.db.transaction((tx) => writeNotices(tx, ctx, written));
  ctx.signals.raise("outbound");
  return "forwarded";
}

/** RFC 3834 §5. */
function isAutomatic({ lines }: HeaderBlock): boolean {
  return lines.some(([name, value]) => name.toLowerCase() === "auto-submitted" && !/^no\b/i.test(value));
}

/** Without addresses whose mail arrives here, which could be this address again. */
async function forwardedTo(ctx: Ctx<System>, { domain, organizationId }: Postmaster): Promise<Recipient[]> {
  const { DEFAULT_DOMAIN, POSTMASTER_ADDRESS } = ctx.settings;
  const named = domain === DEFAULT_DOMAIN ? POSTMASTER_ADDRESS : undefined;
  const recipients = named
    ? [toAddress(named)]
    : await ctx.db.transaction((tx) => recipientsOf(tx, ctx, organizationId, "postmaster"));
  const hosted = await Promise.all(
    recipients.map(({ to_address, channel }) => channel === "mail" && isHosted(ctx.db, ctx, to_address)),
  );
  return recipients.filter((_, i) => !hosted[i]);
}

/** @returns false if the domain has reached its limit of this UTC day */
async function countOne({ db, now }: Ctx<System>, domain: string): Promise<boolean> {
  const day = now().toISOString().slice(0, DAY_CHARS);
  const { forwarded } = postmasterDays;
  await db.delete(postmasterDays).where(and(eq(postmasterDays.domain, domain), lt(postmasterDays.day, day)));
  const counted = await db
    .insert(postmasterDays)
    .values({ domain, day, forwarded: 1 })
    .onConflictDoUpdate({
      target: [postmasterDays.domain, postmasterDays.day],
      set: { forwarded: sql`${forwarded} + 1` },
      setWhere: lt(forwarded, FORWARDED_PER_DAY),
    })
    .returning({ forwarded });
  return counted.length > 0;
}

async function textOf(ctx: Ctx<System>, raw: Buffer): Promise<string> {
  const read = await parseMail(ctx.threadPool, {
    organizationId: TURN,
    cpuMs: CPU_MS,
    question: async () => ({ raw: new Uint8Array(raw) }),
    transfer: (question) => [question.raw.buffer],
  });
  if ("ended" in read || !("body" in read.answer)) return "(The text of the mail could not be read.)";
  return storable(read.answer.body.text ?? "", TEXT_CHARS);
}

function emailOf({ domain }: Postmaster, envelopeFrom: string, block: HeaderBlock, text: string) {
  const { from, subject } = summarize(block);
  const sender = foreignLine(storable(from?.address ?? envelopeFrom, SENDER_CHARS), SENDER_CHARS);
  const intro = `A mail arrived for postmaster at ${foreignLine(domain, SENDER_CHARS)}. Its sender is not verified. Links and addresses in it are shown with [.], [:] and [at].`;
  const quoted = foreignText(text, TEXT_CHARS).replaceAll(/^/gm, "> ");
  const lines = [intro, "", `From: ${sender}`, `Subject: ${foreignLine(subject, SUBJECT_CHARS)}`, "", quoted];
  return { topic: "postmaster" as const, text: `${lines.join("\n")}\n` };
}
