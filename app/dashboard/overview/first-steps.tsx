// The first steps of a new organization, done in the browser or by the calls that are shown: a key, an inbox, a test mail, a
// webhook. A step is ticked when the service says that it happened.
"use client";
import { Text, Title, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { IconCheck } from "../../design/icons.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import { CreateFirst, IssueFirst, RegisterFirst, SendFirst } from "./first-actions.tsx";
import { callsOf } from "./first-calls.ts";
import classes from "./overview.module.css";

type Overview = Pick<Outputs["overview"]["get"], "steps" | "keys" | "days">;
type Step = { title: string; text: string; done: boolean; code?: string; action: ReactNode };

function useSteps({ steps, keys, days }: Overview): Step[] {
  const trpc = useTRPC();
  // Shown once and kept in memory, so that the calls below can be pasted as they are.
  const [secret, setSecret] = useState<string>();
  const inboxes = useQuery(trpc.inboxes.summaries.queryOptions({ limit: 1 }, { enabled: steps.inbox }));
  const address = inboxes.data?.data[0]?.address;
  const calls = callsOf({ origin: location.origin, secret, address });
  return [
    {
      title: "Issue an enrollment key",
      text: "It lets your agents enroll and sets how many mailboxes they can create.",
      done: steps.key,
      action: <IssueFirst onIssued={setSecret} />,
    },
    {
      title: "Create an inbox",
      text: "An agent redeems the key, then creates a mailbox in one call. The button does it for you.",
      done: steps.inbox,
      code: calls.create,
      action: <CreateFirst keyId={keys[0]?.id} />,
    },
    {
      title: "Receive a test mail",
      text: "The button sends a mail from the inbox to itself. Any mail that arrives counts.",
      done: days.some(({ received }) => received > 0),
      code: calls.send,
      action: <SendFirst address={address} />,
    },
    {
      title: "Register a webhook",
      text: "The service posts every new mail to your program. No program yet? A test receiver shows what it will get.",
      done: steps.webhook,
      code: calls.register,
      action: <RegisterFirst />,
    },
  ];
}

export default function FirstSteps({ overview }: { overview: Overview }) {
  const all = useSteps(overview);
  const next = all.find(({ done }) => !done);
  return (
    <section className={classes.panel} aria-labelledby="steps">
      <div className={classes.head}>
        <Title order={2} id="steps">
          First steps
        </Title>
        <span className={classes.total} role="status">
          <b>{all.filter(({ done }) => done).length}</b> of {all.length} done
        </span>
      </div>
      <ol className={classes.steps}>
        {all.map((step, index) => (
          <OneStep key={step.title} step={step} number={index + 1} isNext={step === next} />
        ))}
      </ol>
    </section>
  );
}

type StepProps = { step: Step; number: number; isNext: boolean };

function OneStep({ step: { title, text, done, code, action }, number, isNext }: StepProps) {
  return (
    <li className={classes.step} data-state={done ? "done" : isNext ? "next" : "later"}>
      <span className={classes.mark} aria-hidden>
        {done ? <IconCheck size={17} stroke={2.5} /> : number}
      </span>
      <div>
        <Title order={3}>
          {title}
          {done && <VisuallyHidden> (done)</VisuallyHidden>}
        </Title>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
        {isNext && (
          <>
            {action}
            {code && (
              <details className={classes.code}>
                <summary>The same from a shell</summary>
                <CodeBlock samples={[{ label: "curl", code }]} what={`the calls: ${title}`} />
              </details>
            )}
          </>
        )}
      </div>
    </li>
  );
}
