// A small sign-up site: it mails a code over SMTP, and confirms the address when the code is sent back. How to run it:
// examples/README.md.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { createTransport } from "nodemailer";

const MAIL_WITHIN_MS = 500;
const USERS_MAX = 10_000;
const FORM_MAX_BYTES = 1_000;
const PAGE = `<!doctype html>
<title>Site</title>
<form data-path="/sign-up"><label>E-mail <input name="email"></label> <button>Send the code</button></form>
<form data-path="/confirm"><label>Code <input name="code"></label> <button>Confirm</button></form>
<p role="status"></p>
<script type="module">
  const field = (name) => document.querySelector("[name=" + name + "]").value;
  for (const form of document.forms) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const body = JSON.stringify({ email: field("email"), code: field("code") });
      const answer = await (await fetch(form.dataset.path, { method: "POST", body })).json();
      const said = answer.confirmed ? answer.email + " is confirmed." : (answer.error ?? "The code is on its way.");
      document.querySelector("[role=status]").textContent = said;
    });
  }
</script>`;

type Form = { email?: unknown; code?: unknown };
/** Only the newest code of an address is valid; `refused` counts the wrong ones. */
type User = { code: string; refused: number };
type Answer = { status: number; body: object };

/** The mail of a sign-up. */
type Letter = { from?: string; subject: string; text?: string; html?: string };

const english = (code: string): Letter => ({
  subject: "Welcome to Site",
  text: `Hello,\n\nyour verification code is ${code}. It is good for 10 minutes.\n\n© 2026 Site, 1204 Main Street\n`,
});

/**
 * `GET /` is a page with two forms for these. `POST /sign-up {email}` answers 202 and mails a code soon; a repeated one mails a new code, and the previous one
 * becomes invalid. `POST /confirm {email, code}` answers 200 `{email, confirmed, refused}`, or 403 for a code that is
 * not the newest.
 * @param options `port`, 0 for any; `smtp`: where its mail goes; `write`: the mail for a code
 */
export async function startSite({
  port,
  smtp,
  write = english,
}: {
  port: number;
  smtp: { host: string; port: number };
  write?: (code: string, email: string) => Letter;
}) {
  const users = new Map<string, User>();
  // Like most mail servers: it does not verify the certificate.
  const transport = createTransport({ ...smtp, pool: true, tls: { rejectUnauthorized: false } });

  async function mailCode(email: string, code: string): Promise<void> {
    await sleep(randomInt(MAIL_WITHIN_MS));
    await transport.sendMail({
      from: "Site <no-reply@site.example>",
      to: email,
      ...write(code, email),
    });
  }

  function signUp({ email }: Form): Answer {
    if (typeof email !== "string" || !email.includes("@")) return { status: 400, body: { error: "email is missing" } };
    if (users.size >= USERS_MAX && !users.has(email)) return { status: 503, body: { error: "the site is full" } };
    const code = String(randomInt(100_000, 1_000_000));
    users.set(email, { code, refused: users.get(email)?.refused ?? 0 });
    mailCode(email, code).catch((error: unknown) => console.error(`No code mailed to ${email}:`, error));
    return { status: 202, body: { email } };
  }

  function confirm({ email, code }: Form): Answer {
    const user = users.get(String(email));
    if (!user) return { status: 403, body: { error: "no sign-up with this address" } };
    if (user.code !== code) {
      user.refused += 1;
      return { status: 403, body: { error: "this is not the newest code" } };
    }
    return { status: 200, body: { email, confirmed: true, refused: user.refused } };
  }

  async function answer(request: IncomingMessage): Promise<Answer> {
    const { "content-length": bytes = Number.POSITIVE_INFINITY } = request.headers;
    if (Number(bytes) > FORM_MAX_BYTES) return { status: 413, body: { error: "the form is too long" } };
    if (request.method !== "POST") return { status: 405, body: { error: "POST only" } };
    if (request.url === "/sign-up") return signUp((await json(request)) as Form);
    if (request.url === "/confirm") return confirm((await json(request)) as Form);
    return { status: 404, body: { error: "there is nothing here" } };
  }

  const server = createServer(async (request, response) => {
    if (request.method === "GET" && request.url === "/") {
      response.writeHead(200, { "Content-Type": "text/html" }).end(PAGE);
      return;
    }
    const { status, body } = await answer(request).catch(() => ({ status: 400, body: { error: "this is not JSON" } }));
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop(): void {
      transport.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

if (import.meta.main) {
  const { SITE_PORT = "4000", SMTP_HOST = "127.0.0.1", SMTP_PORT = "2525" } = process.env;
  const { url } = await startSite({ port: Number(SITE_PORT), smtp: { host: SMTP_HOST, port: Number(SMTP_PORT) } });
  console.log(`The site is at ${url}`);
}
