// The shape of a mail in the tables of attacks and harmless mails: what was sent, and what its signals must say.

export type JudgedMail = {
  name: string;
  subject: string;
  text?: string;
  html?: string;
  /** Default `none`. */
  hiding?: "none" | "usual" | "deceptive";
  /** Default `none`. */
  instructions?: "none" | "visible" | "hidden";
};
