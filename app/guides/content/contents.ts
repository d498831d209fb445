// The table of contents of the guides: which files are pages, in which order, and what each is about.

export type Entry = { name: string; file: string; about: string };

const guide = (name: string, about: string): Entry => ({ name, file: `docs/guides/${name}.md`, about });

export const GROUPS: { title: string; entries: Entry[] }[] = [
  {
    title: "Start",
    entries: [
      guide("quickstart", "From an enrollment key to a code, in curl, TypeScript and Python."),
      guide("concepts", "What the words mean: agents, mailboxes, events, caps."),
      guide("comparison", "When something else fits better."),
    ],
  },
  {
    title: "Use it",
    entries: [
      guide("calls", "What agents want to do, and the call for it."),
      guide("waiting", "One code, the next message, several waiters."),
      guide("webhooks", "New mail at your own endpoint: signatures, retries, replays."),
      guide("mcp", "Mailboxes as tools of an assistant."),
      guide("command", "The command mailberth, in a shell and in scripts."),
      guide("dashboard", "What members see and do at /dashboard."),
      guide("submission", "Mail programs, nodemailer, smtplib and msmtp with an agent key."),
      guide("python", "The package for Python: calls, waits, errors, asyncio, LangChain."),
      guide("testing", "Codes and mail in tests with Playwright, Vitest, Cypress and pytest."),
      guide("moving", "Programs written for AgentMail or Resend, and a domain without a gap."),
      guide("keys", "Organizations, enrollment keys and agent keys, and the commands of operators."),
      guide("paid-mailboxes", "Mailboxes that agents pay for: HTTP 402 and EIP-3009."),
      guide("domains", "Domains of your own, their DNS records and DKIM keys."),
      guide("deliverability", "Bounces, complaints, suppressions and the daily cap."),
      guide("spam", "The verdict on inbound mail and its reasons, and quarantine."),
      guide("local-mode", "Bounces, complaints, delays and answers without a provider."),
      guide("relays", "Through which server mail leaves, and how outcomes come back from each."),
      guide("errors", "Every error code, and what to do."),
      guide("versions", "What may change within /v1, and which client works with which service."),
      guide("limits", "What a caller meets, and what happens then."),
      { name: "glossary", file: "docs/glossary.md", about: "The terms of the API and the documents." },
    ],
  },
  {
    title: "Run it",
    entries: [
      guide("deploy", "systemd, nginx or Caddy with TLS, containers."),
      guide("kubernetes", "The Helm chart: its Secret and values, and what was not tried."),
      guide("sign-in", "Company accounts by OpenID Connect, and how to require them."),
      guide("settings", "All settings with their defaults."),
      guide("machines", "Several processes and machines, failover, upgrades without a pause."),
      guide("scale", "What one installation carries, what breaks first, and the way past one PostgreSQL."),
      guide("postgresql", "Your own PostgreSQL, TLS, PgBouncer."),
      guide("storage", "What a bucket holds, its settings, encryption and sweep."),
      guide("backup", "Backup, restore, upgrade, and moving one organization."),
      guide("watching", "Metrics, alerts, the log and traces."),
      guide("troubleshooting", "What you see, why, and what to do."),
      { name: "security", file: "SECURITY.md", about: "Who is trusted with what, and the limits for strangers." },
      guide("benchmarks", "How fast it is, and how that is measured."),
    ],
  },
];

export const ENTRIES: Entry[] = GROUPS.flatMap(({ entries }) => entries);
