// A mail server that W2 measures.
import type { SmtpMode } from "./smtp-load.ts";

export type MailServer = {
  name: string;
  smtpPort: number;
  /** Roots of its process trees, the database's included. */
  processes: () => number[];
  memoryOf: () => number[];
  /** Of these, the ones that are not children of the bench. */
  strays?: () => number[];
  /** There when the server owes a webhook for each mail; without it a mail is done once it is accepted. */
  webhookSecret?: string;
  /** The most sessions it is measured with, and the ways clients connect; without it, all. */
  only?: { sessionsMax: number; modes: SmtpMode[] };
  /** Ratio that Mailberth should reach, by the way clients connect. */
  goals: Partial<Record<SmtpMode, number>>;
  settle?(): Promise<void>;
  stop(): Promise<void>;
};
