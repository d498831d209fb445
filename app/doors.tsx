// How a program gets a mailbox and a code: over REST, in TypeScript or Python, as tools of MCP, in a shell. With this service's
// own addresses.
"use client";
import { type KeyboardEvent, useRef, useState } from "react";
import { CopyButton } from "./copy-button.tsx";
import { ScrollingCode } from "./design/scrolling.tsx";
import { type Service, useService } from "./service-document.ts";

type Addresses = Pick<Service, "baseUrl" | "defaultDomain">;
type Door = { name: string; code: string; more: { href: string; text: string } };

/** Shown if the service cannot be reached, so that the calls can still be read. */
const WITHOUT_SERVICE: Addresses = {
  baseUrl: "https://your-mailberth.example",
  defaultDomain: "your-domain.example",
};
const CODE = "482913";
const MAIL = `Your code is ${CODE}.`;
const HEADERS = `-H "Authorization: Bearer $KEY" -H 'Content-Type: application/json'`;
const STEPS: Record<string, 1 | -1> = { ArrowRight: 1, ArrowLeft: -1 };

function enroll({ baseUrl }: Addresses): string {
  return `curl -s ${baseUrl}/v1/enroll -H 'Content-Type: application/json' \\
  -d '{"token":"mb_enroll_…","agent_handle":"scout"}'
export KEY=mb_agent_…   # "agent_key" of the answer`;
}

function doorsOf({ baseUrl, defaultDomain }: Addresses): [Door, ...Door[]] {
  const address = `scout@${defaultDomain}`;
  const inbox = `${baseUrl}/v1/inboxes/${encodeURIComponent(address)}`;
  return [
    {
      name: "REST",
      code: `# a mailbox
curl -s ${baseUrl}/v1/inboxes \\
  ${HEADERS} \\
  -d '{"username":"scout","client_id":"scout-1"}'
# a mail with a code, here from itself
curl -s ${inbox}/send \\
  ${HEADERS} \\
  -d '{"to":"${address}","subject":"Code","text":"${MAIL}"}'
# the code: "extracted":{"otp":"${CODE}", …}
curl -s ${inbox}/wait \\
  ${HEADERS} \\
  -d '{"timeout_seconds":60}'`,
      more: { href: "/docs", text: "All calls, each to try" },
    },
    {
      name: "TypeScript",
      code: `import { createClient } from "@mailberth/client";

const mail = createClient({ url: "${baseUrl}", key: process.env.KEY ?? "" });
const { address } = await mail.inboxes.create.mutate({ client_id: "scout-1" });
await mail.messages.send.mutate({ addr: address, to: address, subject: "Code", text: "${MAIL}" });
const { extracted } = await mail.messages.wait.mutate({ addr: address, timeout_seconds: 60 });
console.log(extracted?.otp); // ${CODE}`,
      more: { href: "/guides/quickstart#typescript", text: "Quickstart in TypeScript" },
    },
    {
      name: "Python",
      code: `import os
from mailberth import Mailberth

mail = Mailberth("${baseUrl}", os.environ["KEY"])
inbox = mail.inboxes.create(client_id="scout-1")
address = inbox["address"]
mail.send(address, to=address, subject="Code", text="${MAIL}")
print(mail.wait(address, after=inbox["created_at"], timeout_seconds=60).otp)  # ${CODE}`,
      more: { href: "/guides/python", text: "The Python package" },
    },
    {
      name: "MCP",
      code: `claude mcp add --transport http mailberth ${baseUrl}/mcp \\
  --header "Authorization: Bearer $KEY"
claude "Create a mailbox, send it a mail that says '${MAIL}', and tell me the code."`,
      more: { href: "/guides/mcp", text: "Other assistants, and the tools" },
    },
    {
      name: "Command",
      code: `export MAILBERTH_URL=${baseUrl} MAILBERTH_KEY=$KEY
npm run -s mailberth -- inboxes create --username scout
npm run -s mailberth -- send ${address} --to ${address} --subject Code --text "${MAIL}"
npm run -s mailberth -- wait ${address} --code   # ${CODE}`,
      more: { href: "/guides/command", text: "All commands" },
    },
  ];
}

function CodeBlock({ code, what }: { code: string; what: string }) {
  return (
    <div className="code">
      <ScrollingCode text={code} />
      <CopyButton text={code} what={what} />
    </div>
  );
}

export function Doors() {
  const { data, isPending } = useService();
  const addresses = data ?? WITHOUT_SERVICE;
  return (
    <section id="calls" aria-labelledby="calls-title">
      <h2 id="calls-title">Two calls: a mailbox, and the code in its mail</h2>
      <p className="section-lede">
        First redeem an enrollment key for an agent key, once. The service prints one at its first start, and members
        issue more under <a href="/dashboard/keys">Keys</a>.
      </p>
      {isPending ? (
        <div className="code" aria-busy="true">
          <span className="skeleton block" />
        </div>
      ) : (
        <>
          <CodeBlock code={enroll(addresses)} what="the call that enrolls an agent" />
          <Tabs doors={doorsOf(addresses)} />
        </>
      )}
    </section>
  );
}

/** Tabs that the arrow keys walk, as the ARIA Authoring Practices describe them. */
function Tabs({ doors }: { doors: [Door, ...Door[]] }) {
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const { name, code, more } = doors[at] ?? doors[0];

  function walk(event: KeyboardEvent) {
    const step = STEPS[event.key];
    if (!step) return;
    const next = (at + step + doors.length) % doors.length;
    setAt(next);
    list.current?.querySelectorAll("button")[next]?.focus();
  }

  return (
    <>
      <div ref={list} className="tabs" role="tablist" aria-label="Ways to call the service" onKeyDown={walk}>
        {doors.map((door, index) => (
          <button
            key={door.name}
            type="button"
            role="tab"
            id={`door-${index}`}
            aria-selected={index === at}
            aria-controls="door"
            tabIndex={index === at ? 0 : -1}
            onClick={() => setAt(index)}
          >
            {door.name}
          </button>
        ))}
      </div>
      <div id="door" role="tabpanel" aria-labelledby={`door-${at}`}>
        <CodeBlock code={code} what={`the calls for ${name}`} />
        <p className="door-more">
          <a href={more.href}>{more.text}</a>
        </p>
      </div>
    </>
  );
}
