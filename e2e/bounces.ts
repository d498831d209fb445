// Mail that bounces: the far side returns it to its envelope sender, and too many bounces pause an inbox until a person resumes it.
import { expect, type Page } from "@playwright/test";
import { createTransport } from "nodemailer";
import { dsn } from "#test/receiving/returns/reports.ts";
import type { SmtpSink } from "#test/support/smtp-sink.ts";
import { violationsIn } from "./axe.ts";
import type { RunningService } from "./service.ts";

const NARROW = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 720 };
const SCREENSHOTS = "test-results/screenshots";

type Rig = { relay: SmtpSink; service: RunningService };

/** The far side accepted a mail to the recipient, and now returns it to the envelope sender. */
export async function bounce({ relay, service }: Rig, recipient: string): Promise<string> {
  const path = () => relay.received.find(({ to }) => to.includes(recipient))?.from ?? "";
  await expect.poll(path).not.toBe("");
  const transport = createTransport({ host: "127.0.0.1", port: service.smtpPort, tls: { rejectUnauthorized: false } });
  const raw = dsn([{ recipient, diagnostic: "550 5.1.1 User unknown" }]);
  await transport.sendMail({ envelope: { from: "", to: [path()] }, raw });
  transport.close();
  return path();
}

export type Sender = {
  inbox: string;
  /** Sends to these addresses as the person of the page. */
  send(to: string[]): Promise<unknown>;
};

/** Of 20 recipients, 2 bounce. The inbox has sent to two recipients before, one of whom bounced. */
export async function pauseAndResume(page: Page, rig: Rig, { inbox, send }: Sender): Promise<void> {
  const others = Array.from({ length: 18 }, (_, i) => `list${i}@far.example`);
  await send(others);
  await bounce(rig, others[0] ?? "");
  await page.goto("/dashboard");
  await expect(async () => {
    await page.reload();
    await expect(page.getByText(`Sending from ${inbox} is paused.`)).toBeVisible();
  }).toPass();
  await page.goto(`/dashboard/mail?inbox=${encodeURIComponent(inbox)}`);
  const alert = page.getByRole("alert").filter({ hasText: "Sending is paused" });
  await expect(alert).toContainText("Of its last 20 recipients, 2 (10%) bounced and 0 (0%) complained.");
  expect(await violationsIn(page)).toEqual([]);
  await page.screenshot({ path: `${SCREENSHOTS}/sending-paused.png`, fullPage: true });
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await page.setViewportSize(NARROW);
  await expect(alert).toBeVisible();
  expect(await violationsIn(page)).toEqual([]);
  await page.screenshot({ path: `${SCREENSHOTS}/sending-paused-dark-390.png`, fullPage: true });
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(WIDE);
  await page.getByRole("button", { name: "Compose" }).click();
  await page.getByRole("combobox", { name: "To" }).fill("new@far.example,");
  await page.getByRole("textbox", { name: "Subject" }).fill("After the pause");
  await page.getByRole("textbox", { name: "Message" }).fill("Are you there?");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText(/Your draft is kept\. Resume sending at the top of this page first\./)).toBeVisible();
  await expect(page.getByText("Draft saved")).toBeVisible();
  await page.keyboard.press("Escape");
  await alert.getByRole("button", { name: "Resume sending" }).click();
  await expect(page.getByText("Sending resumed")).toBeVisible();
  await expect(alert).toHaveCount(0);
  await page.getByRole("button", { name: "Compose" }).click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText(/^Message (queued|being sent|sent)$/)).toBeVisible();
  await expect.poll(() => rig.relay.received.some(({ to }) => to.includes("new@far.example"))).toBe(true);
}
