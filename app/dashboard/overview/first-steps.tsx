// The first steps of a new organization, done in the browser or by the calls that are shown: a key, an inbox, a test mail, a
// webhook, a colleague, notices. A step is ticked when the service says that it happened.
"use client";
import { Anchor, Button, Text, Title, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { IconCheck } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import { placeHref } from "../mail/place.ts";
import { CodeBlock } from "../parts/code-block.tsx";
import { later } from "../parts/later.ts";
import { useBrowserNotices } from "../session/browser-notices.ts";
import { type Outputs, useTRPC } from "../trpc.ts";
import { ChooseFirst, CreateFirst, InviteFirst, IssueFirst, RegisterFirst, SendFirst } from "./first-actions.tsx";
import { callsOf } from "./first-calls.ts";
import classes from "./overview.module.css";

type Overview = Pick<Outputs["overview"]["get"], "steps" | "keys" | "days">;
/** `after`: what to do when it is done. `isFree`: it can be done in any order, after the first mail. */
type Step = {
  title: string;
  text: string;
  /** Undefined: it is not known yet. */
  done: boolean | undefined;
  code?: string;
  action: ReactNode;
  after?: ReactNode;
  isFree?: true;
};

const OWN_INBOXES =
  " People use the inbox of the button. Agents of this key reach only the inboxes that they create; a key of Keys → Issue key can reach all.";

const Invite = later(() => import("../settings/team/invite.tsx"));

function useSteps({ steps, keys, days }: Overview, onInvite: () => void): Step[] {
  const trpc = useTRPC();
  // Shown once and kept in memory, so that the calls below can be pasted as they are.
  const [secret, setSecret] = useState<string>();
  const inboxes = useQuery(trpc.inboxes.summaries.queryOptions({ limit: 1 }, { enabled: steps.inbox }));
  const address = inboxes.data?.data[0]?.address;
  const [first] = keys;
  const key = useQuery(trpc.keys.get.queryOptions({ id: first?.id ?? "" }, { enabled: first !== undefined }));
  const isPeoples = key.data?.inbox_access === "own";
  const team = useQuery(trpc.team.members.queryOptions());
  const notices = useQuery(trpc.notices.list.queryOptions());
  const hasBrowserNotices = useBrowserNotices();
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
      text: `An agent redeems the key, then creates a mailbox in one call. The button does it for you.${isPeoples ? OWN_INBOXES : ""}`,
      done: steps.inbox,
      code: calls.create,
      action: <CreateFirst keyId={first?.id} />,
    },
    {
      title: "Receive a test mail",
      text: "The button sends a mail from the inbox to itself. Any mail that arrives counts.",
      done: days.some(({ received }) => received > 0),
      code: calls.send,
      action: <SendFirst address={address} />,
      after: address !== undefined && (
        <Anchor component={NearLink} href={placeHref(address)} size="sm" data-thumb>
          Read it and reply
        </Anchor>
      ),
    },
    {
      title: "Register a webhook",
      text: "The service posts every new mail to your program. No program yet? A test receiver shows what it will get.",
      done: steps.webhook,
      code: calls.register,
      action: <RegisterFirst />,
      isFree: true,
    },
    {
      title: "Invite a person",
      text: "People sign in with accounts of their own, read the mail, and approve what agents write.",
      done: team.data ? team.data.members.length + team.data.invitations.length > 1 : unknown(team),
      action: <InviteFirst onClick={onInvite} />,
      isFree: true,
    },
    {
      title: "Choose your notices",
      text: "Hear of a message that waits or a webhook that fails: by mail, in a chat or in this browser.",
      done: hasBrowserNotices || (notices.data ? notices.data.reached_topics.length > 0 : unknown(notices)),
      action: <ChooseFirst />,
      isFree: true,
    },
  ];
}

/** A step that could not be looked up is offered. */
const unknown = ({ isError }: { isError: boolean }) => (isError ? false : undefined);

type Props = { overview: Overview; onDone: () => void; onHide: () => void };

/** `onDone`: all are done; called again with each change. `onHide`: the member wants to see them no more. */
export default function FirstSteps({ overview, onDone, onHide }: Props) {
  const [isInviting, setInviting] = useState(false);
  const all = useSteps(overview, () => setInviting(true));
  const next = all.find(({ done }) => !done);
  const isOver = next === undefined;
  useEffect(() => {
    if (isOver) onDone();
  }, [isOver, onDone]);
  return (
    <section className={classes.panel} aria-labelledby="steps">
      <div className={classes.head}>
        <Title order={2} id="steps">
          First steps
        </Title>
        <span>
          <span className={classes.total} role="status">
            {all.every(({ done }) => done !== undefined) && (
              <>
                <b>{all.filter(({ done }) => done).length}</b> of {all.length} done
              </>
            )}
          </span>
          <Button size="compact-sm" variant="subtle" color="gray" ml="xs" onClick={onHide}>
            Hide
          </Button>
        </span>
      </div>
      <ol className={classes.steps}>
        {all.map((step, index) => {
          const isFree = step.isFree === true && next?.isFree === true;
          const isNext = step.done === false && (step === next || isFree);
          return <OneStep key={step.title} step={step} number={index + 1} isNext={isNext} />;
        })}
      </ol>
      {/* Not in its step, which is done before the dialog has shown the link. */}
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </section>
  );
}

type StepProps = { step: Step; number: number; isNext: boolean };

function OneStep({ step: { title, text, done, code, action, after }, number, isNext }: StepProps) {
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
        {done && after}
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
