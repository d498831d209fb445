// What the browser tests of the mail client share: a mailbox, mail for it, and its pages.
import { randomUUID } from "node:crypto";
import { type BrowserContext, expect, type Page } from "@playwright/test";
import { createTransport } from "nodemailer";
import { ask, call } from "./owner.ts";

/** Set by e2e/start-service.ts before the workers read this file. */
export const BASE_URL = process.env.E2E_BASE_URL ?? "";
export const NARROW = { width: 390, height: 844 };

/** A new mailbox, with an enrollment key that no other test uses. The context is signed in. */
export async function newInbox(context: BrowserContext): Promise<string> {
  const issue = { name: `Key ${randomUUID()}`, max_mailboxes: 1 };
  const { id } = await call<{ id: string }>(context, BASE_URL, "keys.issue", issue);
  const wish = { enrollment_key_id: id, client_id: id };
  return (await call<{ address: string }>(context, BASE_URL, "inboxes.createWith", wish)).address;
}

export async function mail(to: string, subject: string, more: object = {}): Promise<void> {
  const port = Number(process.env.E2E_SMTP_PORT);
  const transport = createTransport({ host: "127.0.0.1", port, tls: { rejectUnauthorized: false } });
  await transport.sendMail({ from: "Zed <zed@far.example>", to, subject, text: "Are you there?", ...more });
  transport.close();
}

export async function openMail(page: Page, addr: string): Promise<void> {
  await page.goto(`/dashboard/mail?inbox=${encodeURIComponent(addr)}`);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
}

export async function openThread(page: Page, subject: string): Promise<void> {
  await page.getByRole("link", { name: new RegExp(subject) }).click();
  await expect(page.getByRole("heading", { level: 2, name: subject })).toBeVisible();
}

/** @param filters as `messages.list` takes them */
export async function messagesOf(context: BrowserContext, addr: string, filters: object = {}) {
  type Listed = {
    data: { id: string; direction: string; subject: string; read: boolean; received_at: string | null }[];
  };
  return (await ask<Listed>(context, BASE_URL, "messages.list", { addr, ...filters })).data;
}
