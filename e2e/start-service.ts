// Before the browser tests: makes sure of a Chromium, starts the service that most of them share, and stops it afterwards.
import { ensureChromium } from "#test/support/chromium.ts";
import { openRunFolder } from "#test/support/run-folder.ts";
import { startService } from "./service.ts";

export default async function startShared(): Promise<() => Promise<void>> {
  await ensureChromium();
  const { close } = await openRunFolder();
  const { baseUrl, smtpPort, ownerLink, enrollmentKey, stop } = await startService();
  Object.assign(process.env, {
    E2E_BASE_URL: baseUrl,
    E2E_SMTP_PORT: String(smtpPort),
    E2E_OWNER_LINK: ownerLink,
    E2E_ENROLLMENT_KEY: enrollmentKey,
  });
  return () => stop().finally(close);
}
