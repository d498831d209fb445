// The form for a new message, a reply, a forward or a stored draft. What is typed survives errors and reloads.
"use client";
import { Alert, Button, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { type KeyboardEvent, type SubmitEvent, useEffect, useRef, useState } from "react";
import { IconSend } from "../../../design/icons.tsx";
import { IconAlertTriangle } from "../../../design/shell-icons.tsx";
import { describeFailure } from "../../parts/failure.ts";
import { Time } from "../../parts/time.tsx";
import { Body } from "./body.tsx";
import { Checks } from "./checks.tsx";
import classes from "./composer.module.css";
import { AttachButton, FileList } from "./file-list.tsx";
import { useDropping } from "./files.ts";
import { useIsKnown } from "./is-known.ts";
import type { ComposerProps, Writing } from "./kinds.ts";
import { hasQuote, quoted } from "./quote.ts";
import { RecipientInput, ReplyHead, usePeople } from "./recipients.tsx";
import { refusalWords } from "./refusal-words.ts";
import type { useSaving } from "./saving.ts";
import { SendLater } from "./send-later.tsx";
import { SendLimit } from "./send-limit.tsx";
import { SendProblem } from "./send-problem.tsx";
import { useWriting } from "./use-writing.ts";

type SavedStateProps = { saving: ReturnType<typeof useSaving>; onTheirs: () => void; onMine: () => void };

const WORDS = { idle: "", saving: "Saving the draft…" };
const FORM_HEIGHT = 320;

const NAMES = { new: "New message", reply: "Reply", forward: "Forward", draft: "Draft" };

export function Composer(props: ComposerProps) {
  return useIsKnown(props.writing.place) ? <Form {...props} /> : <Skeleton height={FORM_HEIGHT} />;
}

function Form(props: ComposerProps) {
  const { writing, dropped } = props;
  const { kind, inbox } = writing;
  const form = useWriting(props);
  const { draft, change, attached, sending, saving, issueOf, sendAt } = form;
  const dropping = useDropping(attached.add);
  const [isChoosing, setChoosing] = useState([...draft.to, ...draft.cc, ...draft.bcc].length > 0);
  const shown = useRef<HTMLFormElement>(null);
  // A dialog that waited for the draft gave its focus to something else.
  useEffect(() => shown.current?.querySelector<HTMLElement>("[data-autofocus]")?.focus({ preventScroll: true }), []);
  const taken = useRef<File[]>(undefined);
  useEffect(() => {
    if (dropped && dropped !== taken.current) attached.add(dropped);
    taken.current = dropped;
  }, [dropped, attached.add]);

  function choose() {
    if (writing.kind === "reply") change({ to: writing.to, cc: draft.all ? writing.others : [], all: false });
    setChoosing(true);
  }

  function submit(event: SubmitEvent) {
    event.preventDefault();
    form.send();
  }

  return (
    <form
      ref={shown}
      onSubmit={submit}
      onKeyDownCapture={submitByKeys}
      aria-label={NAMES[kind]}
      className={classes.form}
      {...dropping}
      onPaste={(event) => {
        if (event.clipboardData.files.length === 0) return;
        event.preventDefault();
        attached.add([...event.clipboardData.files]);
      }}
    >
      <Stack gap="sm">
        {writing.kind === "reply" && !isChoosing ? (
          <ReplyHead writing={writing} draft={draft} change={change} onChoose={choose} />
        ) : (
          <People inbox={inbox} form={form} answered={answeredBy(writing)} />
        )}
        {(kind === "new" || kind === "draft") && (
          <TextInput
            label="Subject"
            value={draft.subject}
            onChange={(event) => change({ subject: event.currentTarget.value })}
            error={issueOf("subject")}
          />
        )}
        <Body writing={writing} draft={draft} change={change} issueOf={issueOf} />
        <FileList attached={attached} />
        {(sending.error || saving.isGone) && !saving.isChangedElsewhere ? (
          <SendProblem
            error={sending.error ?? form.savingError}
            onSendAnyway={form.sendAnyway}
            onSendAsNew={form.renew}
          />
        ) : (
          <Checks writing={writing} draft={draft} sendAt={sendAt} />
        )}
        {kind !== "forward" && <SavedState saving={saving} onTheirs={form.openTheirs} onMine={form.replaceTheirs} />}
        {sendAt && (
          <Group gap="xs">
            <Text size="sm">
              Leaves <Time at={sendAt} exact />
            </Text>
            <Button size="compact-sm" variant="subtle" color="gray" onClick={() => form.setSendAt(undefined)}>
              Remove the time
            </Button>
          </Group>
        )}
        <SendLimit inbox={inbox} />
        <Group justify="space-between" className={classes.actions ?? ""}>
          <Group gap="xs">
            <Button type="submit" leftSection={<IconSend size={16} aria-hidden />} loading={sending.isPending}>
              {sendAt ? "Schedule" : "Send"}
            </Button>
            <Button variant="default" onClick={form.close}>
              Save draft
            </Button>
          </Group>
          <Group gap={4}>
            <AttachButton variant="subtle" color="gray" onFiles={attached.add}>
              Attach
            </AttachButton>
            <SendLater chosen={sendAt} onChoose={form.setSendAt} />
            {writing.kind === "reply" && writing.quote !== "" && !hasQuote(draft, writing.quote) && (
              <Button variant="subtle" color="gray" onClick={() => change(quoted(draft, writing.quote))}>
                Quote
              </Button>
            )}
            <Button variant="subtle" color="gray" onClick={form.discard}>
              Discard
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

/** Ctrl+Enter and ⌘Enter, before the editor takes them for a line break. */
function submitByKeys(event: KeyboardEvent<HTMLFormElement>) {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.stopPropagation();
  event.currentTarget.requestSubmit();
}

/** The recipients of a reply without recipients in its form. */
function answeredBy(writing: Writing): string | undefined {
  if (writing.kind === "reply") return writing.to.join(", ");
  if (writing.kind !== "draft" || writing.stored.in_reply_to === null) return undefined;
  const { to, recipients } = writing.stored;
  return to.length > 0 || recipients.length === 0 ? "The sender of the message it answers" : recipients.join(", ");
}

/** `answered`: who gets it if To is empty. */
type PeopleProps = { inbox: string; form: ReturnType<typeof useWriting>; answered: string | undefined };

function People({ inbox, form: { draft, change, issueOf }, answered }: PeopleProps) {
  const people = usePeople(inbox);
  const [showMore, setShowMore] = useState(draft.cc.length + draft.bcc.length > 0);
  return (
    <>
      <Text size="sm">
        <Text span c="dimmed" size="sm">
          From{" "}
        </Text>
        {inbox}
      </Text>
      <RecipientInput
        label="To"
        value={draft.to}
        people={people}
        placeholder={answered ?? "someone@example.com"}
        error={issueOf("to")}
        isFirst
        isRequired={answered === undefined}
        onChange={(to) => change({ to })}
      />
      {showMore ? (
        <>
          <RecipientInput
            label="Cc"
            value={draft.cc}
            people={people}
            error={issueOf("cc")}
            onChange={(cc) => change({ cc })}
          />
          <RecipientInput
            label="Bcc"
            value={draft.bcc}
            people={people}
            error={issueOf("bcc")}
            onChange={(bcc) => change({ bcc })}
          />
        </>
      ) : (
        <Group>
          <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setShowMore(true)}>
            Cc, Bcc
          </Button>
        </Group>
      )}
    </>
  );
}

/** What is wrong with a field is said at the field. */
function notSaved(error: unknown): string {
  const { code, message, issues } = describeFailure(error);
  const { what, fix } = refusalWords({ code, message });
  return Object.keys(issues).length > 0
    ? "Draft not saved: correct what is marked above."
    : `Draft not saved: ${what} ${fix}`.trim();
}

/** Whether the draft is saved on the service, and what to do when another person changed it. */
function SavedState({ saving: { state, isChangedElsewhere, isGone }, onTheirs, onMine }: SavedStateProps) {
  // It is said above.
  if (isGone) return null;
  if (isChangedElsewhere) {
    return (
      <Alert
        color="yellow"
        role="alert"
        icon={<IconAlertTriangle aria-hidden />}
        title="The draft was changed by another person or in another tab"
      >
        <Text size="sm" mb="xs">
          Your text is not saved. Replace their version with yours, or open theirs, which discards your changes.
        </Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onMine}>
            Replace with mine
          </Button>
          <Button size="xs" variant="default" onClick={onTheirs}>
            Open theirs
          </Button>
        </Group>
      </Alert>
    );
  }
  return (
    <span className={classes.saved} role="status">
      {savedWords(state)}
    </span>
  );
}

function savedWords(state: ReturnType<typeof useSaving>["state"]): string {
  if (state.kind === "failed") return notSaved(state.error);
  if (state.kind !== "saved") return WORDS[state.kind];
  return state.refused ? "Draft saved without the recipients marked above." : "Draft saved";
}
