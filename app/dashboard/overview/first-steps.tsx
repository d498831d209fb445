// The first steps of a new organization: a key, an inbox, a webhook.
"use client";
import { Button, Text, Title, VisuallyHidden } from "@mantine/core";
import Link from "next/link";
import { IconCheck } from "../../design/icons.tsx";
import { KEYS } from "../keys/places.ts";
import { CodeBlock } from "../parts/code-block.tsx";
import type { Outputs } from "../trpc.ts";
import { WEBHOOKS } from "../webhooks/places.ts";
import classes from "./overview.module.css";

type Steps = Outputs["overview"]["get"]["steps"];

const STEPS = [
  {
    step: "key",
    title: "Issue an enrollment key",
    text: "It lets your agents enroll and sets how many mailboxes they can create.",
    href: KEYS,
    label: "Go to keys",
    code: undefined,
  },
  {
    step: "inbox",
    title: "Create an inbox",
    text: "An agent enrolls with the key, then creates a mailbox in one call. You can also create one here.",
    href: "/dashboard/inboxes",
    label: "Go to inboxes",
    code: (origin: string) => `curl ${origin}/v1/enroll -H "Content-Type: application/json" \\
  -d "{\\"token\\":\\"$ENROLLMENT_KEY\\",\\"agent_handle\\":\\"my-agent\\"}"

curl -X POST ${origin}/v1/inboxes -H "Authorization: Bearer $AGENT_KEY"`,
  },
  {
    step: "webhook",
    title: "Register a webhook",
    text: "The service posts every new mail to your program. An agent can also wait for mail or list it.",
    href: WEBHOOKS,
    label: "Go to webhooks",
    code: undefined,
  },
] as const;

export function FirstSteps({ steps }: { steps: Steps }) {
  const next = STEPS.find(({ step }) => !steps[step])?.step;
  return (
    <section className={classes.panel} aria-labelledby="steps">
      <div className={classes.head}>
        <Title order={2} id="steps">
          First steps
        </Title>
        <span className={classes.total}>
          <b>{STEPS.filter(({ step }) => steps[step]).length}</b> of {STEPS.length} done
        </span>
      </div>
      <ol className={classes.steps}>
        {STEPS.map(({ step, title, text, href, label, code }, index) => {
          const state = steps[step] ? "done" : step === next ? "next" : "later";
          return (
            <li key={step} className={classes.step} data-state={state}>
              <span className={classes.mark} aria-hidden>
                {state === "done" ? <IconCheck size={17} stroke={2.5} /> : index + 1}
              </span>
              <div>
                <Title order={3}>
                  {title}
                  {state === "done" && <VisuallyHidden> (done)</VisuallyHidden>}
                </Title>
                <Text size="sm" c="dimmed">
                  {text}
                </Text>
                {state === "next" && (
                  <>
                    {code && (
                      <div className={classes.code}>
                        <CodeBlock
                          samples={[{ label: "curl", code: code(location.origin) }]}
                          what={`the calls: ${title}`}
                        />
                      </div>
                    )}
                    <Button component={Link} href={href} size="sm" mt="sm">
                      {label}
                    </Button>
                  </>
                )}
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
