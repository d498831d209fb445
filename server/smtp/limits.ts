// The SMTP limits of a session, of a client address, and of all clients together.
import type { Settings } from "../base/env.ts";

const MIB = 1024 * 1024;
/** One client address gets at most this share of the shared limits. */
const CLIENT_SHARE = 1 / 4;

export type SmtpLimits = {
  /** Open connections: of all clients, of one address, and of a /48 of IPv6. */
  clients: number;
  clientsPerAddress: number;
  clientsPerSite: number;
  /** New connections of one address: in a burst, in a second, and what a failed session counts. One with a mail counts nothing. */
  opens: number;
  opensPerSecond: number;
  opensPerFailure: number;
  recipients: number;
  /** Octets of one mail in all the mailboxes that it is stored in. */
  copiedBytes: number;
  /** Octets of unfinished mail in memory: of all clients, and of one address. */
  bufferedBytes: number;
  bufferedBytesPerAddress: number;
  /** Running TLS handshakes: of all clients, and of one address. */
  handshakes: number;
  handshakesPerAddress: number;
  /** Commands, and 5xx replies, before a mail is accepted. */
  commandsPerMail: number;
  errorsPerMail: number;
  mailsPerSession: number;
  /** Unknown recipients before an address is banned; one expires every `missForgottenMs`. */
  misses: number;
  missForgottenMs: number;
  banMs: number;
  /** From one complete command to the next, and for a TLS handshake. */
  commandMs: number;
  /** From DATA to its end. */
  dataMs: number;
  /** What is older gives way to others when all connections or all memory are in use: sessions without a mail, and mails from DATA on. */
  idleInCrowdMs: number;
  dataInCrowdMs: number;
  /** From greeting to end. */
  sessionMs: number;
  /** Timeout of the database for looking up a recipient and for storing a mail. After that the client gets 451. */
  lookUpMs: number;
  storeMs: number;
  /** How long sessions that are sending a mail may continue when the service stops. */
  closeMs: number;
};

const DEFAULTS = {
  clients: 1_000,
  opens: 100,
  opensPerSecond: 10,
  opensPerFailure: 10,
  recipients: 100,
  copiedBytes: 64 * MIB,
  bufferedBytes: 256 * MIB,
  handshakes: 100,
  commandsPerMail: 2_000,
  errorsPerMail: 100,
  mailsPerSession: 1_000,
  misses: 10,
  missForgottenMs: 6_000,
  banMs: 60_000,
  commandMs: 60_000,
  dataMs: 5 * 60_000,
  idleInCrowdMs: 5_000,
  dataInCrowdMs: 30_000,
  sessionMs: 10 * 60_000,
  lookUpMs: 10_000,
  storeMs: 18_000,
  closeMs: 5_000,
};

function shareOf(limit: number): number {
  return Math.max(1, Math.floor(limit * CLIENT_SHARE));
}

/**
 * The limits under these settings. The share of one address always fits the largest mail.
 * @param given replaces defaults, for tests
 */
export function smtpLimits(settings: Settings, given: Partial<SmtpLimits> = {}): SmtpLimits {
  const { SMTP_CONNECTIONS_PER_ADDRESS, SMTP_MAX_BYTES } = settings;
  const bufferedBytes = Math.max(DEFAULTS.bufferedBytes, SMTP_MAX_BYTES / CLIENT_SHARE);
  const copiedBytes = Math.max(DEFAULTS.copiedBytes, SMTP_MAX_BYTES);
  const limits = { ...DEFAULTS, bufferedBytes, copiedBytes, ...given };
  return {
    clientsPerAddress: Math.min(SMTP_CONNECTIONS_PER_ADDRESS, shareOf(limits.clients)),
    clientsPerSite: Math.max(shareOf(limits.clients), given.clientsPerAddress ?? 0),
    bufferedBytesPerAddress: Math.max(shareOf(limits.bufferedBytes), SMTP_MAX_BYTES),
    handshakesPerAddress: shareOf(limits.handshakes),
    ...limits,
  };
}
