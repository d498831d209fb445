// An agent signs up at a site: a mailbox, the form, the code that the site mails, done. How to run it: examples/README.md.
// In a project of your own: import { createClient } from "@mailberth/client";
import { createClient } from "#client/index.ts";

const CODES_MAX = 3;

export type SignUp = {
  /** The URL of Mailberth. */
  url: string;
  /** `mb_enroll_…`, as the service prints it at its first start. */
  enrollmentKey: string;
  /** The site, and the domain that its mail comes from. */
  site: { url: string; mailsFrom: string };
};

/** What every agent needs once: an agent key and a mailbox. */
export async function openMailbox({ url, enrollmentKey }: SignUp) {
  const { agent_key } = await createClient({ url }).enroll.redeem.mutate({
    token: enrollmentKey,
    agent_handle: "sign-up-example",
  });
  const mail = createClient({ url, key: agent_key });
  const { address } = await mail.inboxes.create.mutate({ display_name: "Sign-up example" });
  return { mail, address };
}

type Mailbox = Awaited<ReturnType<typeof openMailbox>>;

/** Signs up with the mailbox's address, and returns the site's final answer.\n@throws Error if no valid code arrives */
export async function signUp({ mail, address }: Mailbox, site: SignUp["site"]): Promise<unknown> {
  // The time before the form is sent: the wait finds a code that arrives immediately, but not one of an earlier
  // sign-up.
  let after = new Date().toISOString();
  await post(`${site.url}/sign-up`, { email: address });

  for (let tried = 0; tried < CODES_MAX; tried += 1) {
    const { message, extracted, cursor } = await mail.messages.wait.mutate({
      addr: address,
      from: site.mailsFrom,
      after,
      timeout_seconds: 60,
    });
    if (!message) break;
    if (extracted.otp) {
      const answer = await post(`${site.url}/confirm`, { email: address, code: extracted.otp });
      if (answer.ok) return answer.json();
    }
    // A mail without a code, or the late code of an earlier sign-up: the next wait continues from here and misses
    // nothing.
    after = cursor;
  }
  throw new Error(`No code came to ${address} that ${site.url} accepts`);
}

function post(url: string, body: object): Promise<Response> {
  return fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
}

if (import.meta.main) {
  const { MAILBERTH_URL = "http://127.0.0.1:3000", ENROLLMENT_KEY, SITE_URL = "http://127.0.0.1:4000" } = process.env;
  if (!ENROLLMENT_KEY) throw new Error("Set ENROLLMENT_KEY to the key that the service printed when it first started");
  const site = { url: SITE_URL, mailsFrom: "site.example" };
  const mailbox = await openMailbox({ url: MAILBERTH_URL, enrollmentKey: ENROLLMENT_KEY, site });
  console.log(mailbox.address, await signUp(mailbox, site));
}
