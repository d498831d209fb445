// The shape of a mail in the table: what was sent, and what a careful reader would type in or click.

export type Mail = {
  name: string;
  from: string;
  subject: string;
  text?: string;
  html?: string;
  otp: string | null;
  link: string | null;
};
