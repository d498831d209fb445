// Four commands from an enrollment key to received mail, with this service's own addresses.
"use client";
import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";
import { type Service, useService } from "./service-document.ts";

type Story = Pick<Service, "baseUrl" | "defaultDomain" | "serviceName" | "webhookTargets">;
type Step = { title: string; text: ReactNode; command: string; answer: string };

/** Shown if the service cannot be reached, so that the commands can still be read. */
const WITHOUT_SERVICE: Story = {
  baseUrl: "https://your-mailberth.example",
  defaultDomain: "your-domain.example",
  serviceName: "Service",
  webhookTargets: "public",
};

function curl(url: string, headers: string[], body: object): string {
  const json = JSON.stringify(body, null, 1).replace(/\n */g, " ");
  const lines = [`curl -s ${url}`, ...headers.map((header) => `  -H ${header}`), `  -d '${json}'`];
  return lines.join(" \\\n");
}

const JSON_HEADER = "'Content-Type: application/json'";
const KEY_HEADER = '"Authorization: Bearer $AGENT_KEY"';

function steps({ baseUrl, defaultDomain, serviceName, webhookTargets }: Story): Step[] {
  const address = `scout@${defaultDomain}`;
  const hook = webhookTargets === "any" ? "http://127.0.0.1:9000/mail" : "https://your-app.example/mail";
  return [
    {
      title: "Redeem the enrollment key for an agent key",
      text: (
        <>
          The service prints an enrollment key at its first start; the operator can issue more. Replace{" "}
          <code>mb_enroll_…</code> with it, and store the <code>agent_key</code> from the answer. It is shown once.
        </>
      ),
      command: curl(`${baseUrl}/v1/enroll`, [JSON_HEADER], { token: "mb_enroll_…", agent_handle: "scout" }),
      answer: '{"agent_id": "agt_…", "agent_key": "mb_agent_…", "scopes": ["mailbox:create", …], …}',
    },
    {
      title: "Create a mailbox",
      text: (
        <>
          Every field is optional. With a <code>client_id</code> the call can be repeated safely: the same value returns
          the same mailbox.
        </>
      ),
      command: `export AGENT_KEY=mb_agent_…\n${curl(`${baseUrl}/v1/inboxes`, [KEY_HEADER, JSON_HEADER], {
        username: "scout",
        client_id: "scout-1",
      })}`,
      answer: `{"id": "inb_…", "address": "${address}", "status": "live", …}`,
    },
    {
      title: "Receive new mail",
      text: (
        <>
          Each mail is posted to your URL as <code>message.received</code>, with <code>X-{serviceName}-Signature</code>{" "}
          to check. Store the <code>secret</code> now: no later answer contains it.
        </>
      ),
      command: curl(`${baseUrl}/v1/webhooks`, [KEY_HEADER, JSON_HEADER], { url: hook, events: ["message.received"] }),
      answer: `{"id": "whk_…", "url": "${hook}", "events": ["message.received"], "secret": "…"}`,
    },
    {
      title: "Send the first mail",
      text: <>Here the agent writes to itself: the mail is sent, received again, and delivered to your webhook.</>,
      command: curl(`${baseUrl}/v1/inboxes/${encodeURIComponent(address)}/send`, [KEY_HEADER, JSON_HEADER], {
        to: address,
        subject: "Ahoy",
        text: "The first mail here.",
      }),
      answer: '{"id": "msg_…", "status": "queued", "thread_id": "thr_…"}',
    },
  ];
}

function CodeBlock({ code, what }: { code: string; what: string }) {
  return (
    <div className="code">
      <pre>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} what={what} />
    </div>
  );
}

export function EnrolStory() {
  const { data, isPending } = useService();
  return (
    <section id="enrol" aria-labelledby="enrol-title">
      <h2 id="enrol-title">From key to mail in four steps</h2>
      <p className="section-lede">Paste them into a shell one after the other. Nothing but curl is needed.</p>
      <ol className="steps" aria-busy={isPending}>
        {steps(data ?? WITHOUT_SERVICE).map((step, index) => (
          <li key={step.title}>
            <h3>{step.title}</h3>
            <p className="step-text">{step.text}</p>
            {isPending ? (
              <div className="code">
                <span className="skeleton block" />
              </div>
            ) : (
              <CodeBlock code={step.command} what={`the command of step ${index + 1}`} />
            )}
            <p className="answer">
              <span className="fine">answers</span> <code>{isPending ? "…" : step.answer}</code>
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}
