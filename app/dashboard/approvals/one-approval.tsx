// One held message: who asks and why, what would leave, what was changed, and the decision. After it, the next one that waits.
"use client";
import { Alert, Anchor, Badge, Button, Group, Kbd, Stack, Tabs, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type SubmitEvent, useEffect, useRef, useState } from "react";
import { IconPencil } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import shared from "../../design/shared.module.css";
import { useAnnounceSend } from "../mail/announce-send.ts";
import { refusalWords } from "../mail/composer/refusal-words.ts";
import { placeHref } from "../mail/place.ts";
import { HtmlFrame } from "../mail/thread/html-frame.tsx";
import { atOf } from "../mail/thread/message.ts";
import { NO_QUOTES } from "../mail/thread/quotes.tsx";
import { describeFailure } from "../parts/failure.ts";
import { keptText } from "../parts/kept-text.ts";
import { later } from "../parts/later.ts";
import { PageHeader } from "../parts/page-header.tsx";
import { Problem } from "../parts/problem.tsx";
import { useShortcuts } from "../parts/shortcuts.ts";
import { Time } from "../parts/time.tsx";
import { succeeded } from "../parts/toast.tsx";
import { Unloaded } from "../parts/unloaded.tsx";
import { useReadAfterEvents } from "../session/team-events.ts";
import { useTRPC } from "../trpc.ts";
import classes from "./approvals.module.css";
import { placeOfChange, type Review, type Revision, reasonToHold } from "./review.ts";
import { StateBadge } from "./state-badge.tsx";

/** Of the conversation before the message. */
const EARLIER_MESSAGES = 5;
const EARLIER_CHARS = 600;
const REASON_CHARS = 500;

/** From when a message is shown until it can be decided. A second press or click of the decision before it comes earlier. */
const READ_MS = 1_000;

const BACK = { href: "/dashboard/approvals", label: "Approvals" };
/** Another member may decide or change it. */
const LOOK_AGAIN_MS = 10_000;
const EditMessage = later(() => import("./edit-message.tsx"));
const Changes = later(() => import("./changes.tsx"));

export default function OneApproval({ id }: { id: string }) {
  const trpc = useTRPC();
  const found = useQuery(trpc.reviews.get.queryOptions({ id }, { refetchInterval: LOOK_AGAIN_MS }));
  useReadAfterEvents([trpc.reviews.get.pathFilter()]);
  if (found.data) return <Shown review={found.data} />;
  return (
    <>
      <PageHeader title="Message" back={BACK} />
      <Unloaded query={found} what="message" />
    </>
  );
}

function Shown({ review }: { review: Review }) {
  const [editing, setEditing] = useState(() => keptText(placeOfChange(review.id)) !== undefined);
  const latest = review.revisions.at(-1);
  const isWaiting = review.status === "pending";
  // It may have left for some of its recipients, so it is approved or rejected as it is.
  const isOfRevokedKey = review.cause === "key_revoked";
  const edit = (
    <Button
      variant="default"
      leftSection={<IconPencil size={17} aria-hidden />}
      disabled={editing}
      onClick={() => setEditing(true)}
    >
      Change
    </Button>
  );
  return (
    <>
      <PageHeader
        title={latest?.subject || "(no subject)"}
        back={BACK}
        actions={isWaiting && !isOfRevokedKey && edit}
      />
      <div className={classes.desk}>
        <Stack gap="lg" className={classes.paper}>
          <State review={review} />
          {editing && latest && <EditMessage review={review} latest={latest} onClose={() => setEditing(false)} />}
          {!(editing && isWaiting) && (
            <>
              {latest && <Content review={review} revision={latest} />}
              {isWaiting && <Decide key={review.sha256} review={review} />}
            </>
          )}
          {review.revisions.length > 1 && (
            <section aria-labelledby="changes" className={shared.panel}>
              <Title order={2} id="changes">
                Changes
              </Title>
              <Changes revisions={review.revisions} />
            </section>
          )}
        </Stack>
        <aside className={classes.beside} aria-label="About this message">
          <Asked review={review} />
          <Earlier review={review} />
        </aside>
      </div>
    </>
  );
}

function State({ review }: { review: Review }) {
  const { status, decided_by, decided_at, reason, expires_at, error, message_status } = review;
  return (
    <>
      <Group gap="sm">
        <StateBadge status={status} />
        {status === "pending" ? (
          <span>
            Without a decision it is not sent: it expires <Time at={expires_at} />.
          </span>
        ) : (
          <span>
            {decided_by ?? "No one decided in time"}
            {decided_at && (
              <>
                , <Time at={decided_at} />
              </>
            )}
            {reason && `: ${reason}`}
          </span>
        )}
      </Group>
      {status === "approved" && message_status === "failed" && (
        <Alert color="red" title="It was approved and could not be sent">
          {error}
        </Alert>
      )}
    </>
  );
}

/** Who wrote it with which key, and why it waits. */
function Asked({ review }: { review: Review }) {
  const trpc = useTRPC();
  const { inbox, agent, enrollment_key, enrollment_key_id, cause, created_at } = review;
  const policy = useQuery(trpc.reviews.policy.queryOptions({ inbox }, { enabled: cause === "policy" }));
  return (
    <section aria-labelledby="asked" className={shared.panel}>
      <Title order={2} id="asked" size="h4">
        Who asks
      </Title>
      <dl className={classes.facts}>
        <dt>Agent</dt>
        <dd>{agent ?? "Not known: it was held by an earlier version"}</dd>
        {enrollment_key_id && (
          <>
            <dt>Enrollment key</dt>
            <dd>
              <Anchor component={NearLink} href={`/dashboard/keys?id=${enrollment_key_id}`}>
                {enrollment_key || "Unnamed key"}
              </Anchor>
            </dd>
          </>
        )}
        <dt>Asked</dt>
        <dd>
          <Time at={created_at} />
        </dd>
        <dt>Why it waits</dt>
        <dd>{reasonToHold(cause, policy.data)}</dd>
      </dl>
    </section>
  );
}

/** The newest messages before it in its conversation. */
function Earlier({ review: { id, thread_id, inbox } }: { review: Review }) {
  const trpc = useTRPC();
  const thread = useQuery(trpc.threads.get.queryOptions({ id: thread_id, limit: EARLIER_MESSAGES + 1 }));
  const before = (thread.data?.messages ?? []).filter((message) => message.id !== id && message.id < id);
  return (
    <section aria-labelledby="earlier" className={shared.panel}>
      <Title order={2} id="earlier" size="h4">
        Conversation
      </Title>
      {thread.error && <Problem error={thread.error} what="The conversation could not be loaded" />}
      {thread.isSuccess && before.length === 0 && <p className={classes.soft}>Nothing was written before it.</p>}
      {before.length > 0 && (
        <ol className={classes.earlier}>
          {before.map((message) => (
            <li key={message.id}>
              <span className={classes.soft}>
                <strong>
                  <bdi>{message.from_name ?? message.from}</bdi>
                </strong>
                , <Time at={atOf(message)} plain />
              </span>
              <p className={classes.quoted} dir="auto">
                {(message.extracted_text ?? message.text ?? "(no text)").slice(0, EARLIER_CHARS)}
              </p>
            </li>
          ))}
        </ol>
      )}
      <Anchor component={NearLink} href={placeHref(inbox, thread_id)} data-thumb>
        Show the conversation
      </Anchor>
    </section>
  );
}

/** A revision of a held message: its headers, and its bodies as its recipients see them and as they are written. */
function Content({ review, revision }: { review: Review; revision: Revision }) {
  const { inbox, from_name, reply_to, headers, attachments } = review;
  const lines: [string, string[]][] = [
    ["From", [from_name ? `${from_name} <${inbox}>` : inbox]],
    ["To", revision.to],
    ["Cc", revision.cc],
    ["Bcc", revision.bcc],
    ["Reply-To", reply_to],
  ];
  return (
    <section aria-label="The message" className={shared.panel}>
      <dl className={classes.headers}>
        {lines.map(([name, values]) => values.length > 0 && <Line key={name} name={name} text={values.join(", ")} />)}
        <Line name="Subject" text={revision.subject || "(no subject)"} />
        {headers.map(({ name, value }) => (
          <Line key={name} name={name} text={value} />
        ))}
      </dl>
      <Bodies review={review} revision={revision} />
      {attachments.length > 0 && (
        <Group gap={6} aria-label="Attachments">
          {attachments.map(({ id, filename, size }) => (
            <Badge key={id} variant="light" color="gray" size="lg" tt="none">
              {filename ?? "attachment"} · {size.toLocaleString()} bytes
            </Badge>
          ))}
        </Group>
      )}
      <details className={classes.soft}>
        <summary>Details</summary>
        <dl className={classes.headers}>
          <Line name="SHA-256" text={revision.sha256} />
        </dl>
      </details>
    </section>
  );
}

function Bodies({ review, revision: { text, html, sha256 } }: { review: Review; revision: Revision }) {
  if (html === null) return <pre className={classes.body}>{text}</pre>;
  return (
    // What the frame shows is read again when the message was changed.
    <Tabs key={sha256} defaultValue="html" keepMounted={false} mb="md">
      <Tabs.List aria-label="Message format">
        <Tabs.Tab value="html">As its reader sees it</Tabs.Tab>
        {text !== null && <Tabs.Tab value="text">Plain text</Tabs.Tab>}
        <Tabs.Tab value="source">HTML source</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="html" pt="sm">
        <HtmlFrame id={review.id} from={review.inbox} html={html} seen={text ?? ""} fresh="" quotes={NO_QUOTES} />
      </Tabs.Panel>
      {text !== null && (
        <Tabs.Panel value="text" pt="sm">
          <pre className={classes.body}>{text}</pre>
        </Tabs.Panel>
      )}
      <Tabs.Panel value="source" pt="sm">
        <pre className={classes.body}>
          <code>{html}</code>
        </pre>
      </Tabs.Panel>
    </Tabs>
  );
}

function Line({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  );
}

/** The buttons that approve or reject exactly the content that is shown. Then the next message that waits is opened. */
function Decide({ review: { id, sha256 } }: { review: Review }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const next = useNext(id);
  const [reason, setReason] = useState("");
  const reasonField = useRef<HTMLInputElement>(null);
  const announce = useAnnounceSend();
  const settled = (say: () => void) => ({
    onSuccess() {
      say();
      next.open();
    },
    onSettled: () => queries.invalidateQueries(trpc.reviews.pathFilter()),
  });
  const approve = useMutation(
    trpc.reviews.approve.mutationOptions(settled(() => void announce("Approved message", { id, status: "queued" }))),
  );
  const reject = useMutation(trpc.reviews.reject.mutationOptions(settled(() => succeeded("Rejected"))));
  const isShown = useIsShown();
  const isBusy = approve.isPending || reject.isPending || !isShown;
  const accept = () => !isBusy && approve.mutate({ id, sha256 });
  useShortcuts([
    { keys: "a", does: "Approve the message and send it", run: accept },
    { keys: "r", does: "Write why the message is rejected; Enter rejects it", run: () => reasonField.current?.focus() },
  ]);

  function refuse(event: SubmitEvent) {
    event.preventDefault();
    if (!isBusy) reject.mutate({ id, sha256, ...(reason.trim() && { reason: reason.trim() }) });
  }

  return (
    <form aria-label="Decision" onSubmit={refuse} className={`${shared.panel} ${classes.decision}`}>
      <Stack gap="sm">
        {approve.error && <NotSent error={approve.error} />}
        {reject.error && <Problem error={reject.error} what="The message was not rejected" />}
        <TextInput
          ref={reasonField}
          label="Reason"
          description="The agent reads it if you reject the message. Optional."
          maxLength={REASON_CHARS}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Group>
          <Button type="button" loading={approve.isPending} disabled={isBusy} onClick={accept} aria-keyshortcuts="a">
            Approve and send
          </Button>
          <Button type="submit" variant="default" loading={reject.isPending} disabled={isBusy} aria-keyshortcuts="r">
            Reject
          </Button>
          <span className={classes.soft}>
            <span className="of-keyboards">
              <Kbd>A</Kbd> approves, <Kbd>R</Kbd> goes to the reason.
            </span>
            {next.count > 0 && ` Waiting after it: ${next.count}.`}
          </span>
        </Group>
      </Stack>
    </form>
  );
}

/** Whether the content has been shown for one second. */
function useIsShown(): boolean {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), READ_MS);
    return () => clearTimeout(timer);
  }, []);
  return isShown;
}

/** Why an approved message cannot be sent now, in words for people. It still waits. */
function NotSent({ error }: { error: unknown }) {
  const { code, message, fix } = describeFailure(error);
  if (code === undefined || code === "internal_error" || code === "unavailable")
    return <Problem error={error} what="The message was not approved" />;
  const { what, fix: next } = refusalWords({ code, message, fix });
  return (
    <Alert color="yellow" role="alert" title={what}>
      It was not sent and still waits.{" "}
      {code === "sending_paused"
        ? "Resume sending on the page of the inbox or in the settings, then approve it."
        : next}
    </Alert>
  );
}

const NEXT_ROWS = 50;

/** The other messages that wait, the one that waits longest first. */
function useNext(id: string) {
  const trpc = useTRPC();
  const router = useRouter();
  const waiting = useQuery(trpc.reviews.list.queryOptions({ limit: NEXT_ROWS, decided: false }));
  const others = (waiting.data?.data ?? []).filter((review) => review.id !== id);
  const open = () => {
    const next = others.at(-1);
    if (!next) return;
    router.push(`/dashboard/approvals?id=${next.id}`);
    // It is read from the top.
    document.getElementById("main")?.focus();
  };
  return { count: others.length, open };
}
