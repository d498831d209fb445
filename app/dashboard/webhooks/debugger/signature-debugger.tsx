// The debugger's form, and its result, computed again on every change.
"use client";
import { Alert, Button, FileButton, Group, PasswordInput, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { IconFileUpload, IconLockOff, IconShieldLock } from "../../../design/icons.tsx";
import shared from "../../../design/shared.module.css";
import { Problem } from "../../parts/problem.tsx";
import { failed } from "../../parts/toast.tsx";
import { fromLocal, toLocal, viewersZone } from "../local-time.ts";
import { useServiceName } from "../webhook-secret.tsx";
import classes from "../webhooks.module.css";
import { Findings } from "./findings.tsx";
import { takeHandedOver } from "./handed-over.ts";
import { type Diagnosis, diagnose } from "./signature-diagnosis.ts";

const TYPING_MS = 250;
const BODY_MAX_BYTES = 1_048_576;

type File = { name: string; bytes: Uint8Array<ArrayBuffer> };
type Form = {
  secret: string;
  otherSecret: string;
  header: string;
  body: string;
  file: File | null;
  receivedAt: string;
};

function firstForm(): Form {
  const handed = takeHandedOver();
  const receivedAt = handed ? toLocal(new Date(handed.receivedAt)) : "";
  return {
    secret: "",
    otherSecret: "",
    header: handed?.header ?? "",
    body: handed?.body ?? "",
    file: null,
    receivedAt,
  };
}

/** The field has minutes: a signature within the given minute counts as received immediately. */
function timeOfReceipt({ receivedAt, header }: Form): Date {
  const given = fromLocal(receivedAt);
  if (given === undefined) return new Date();
  const [minute, signed] = [new Date(given).getTime(), Number(/\bt=(\d{1,12})\b/.exec(header)?.[1]) * 1_000];
  return new Date(signed >= minute && signed < minute + 60_000 ? signed : minute);
}

export default function SignatureDebugger() {
  const [form, setForm] = useState(firstForm);
  const set = (change: Partial<Form>) => setForm((before) => ({ ...before, ...change }));
  const [asked] = useDebouncedValue(form, TYPING_MS);
  const isEmpty = asked.secret === "" && asked.header === "" && asked.body === "" && asked.file === null;
  const { diagnosis, error } = useDiagnosis(asked, isEmpty);
  if (crypto.subtle === undefined) return <NoCrypto />;
  return (
    <div className={classes.side}>
      <Fields form={form} set={set} />
      <section className={shared.panel} aria-label="Diagnosis">
        {error !== undefined && <Problem error={error} what="The check failed" />}
        {isEmpty || !diagnosis ? (
          <Text c="dimmed">
            The result appears here: the secret, the header, its time, the body, and whether the signature matches. If
            it does not match, this page tries the usual mistakes one by one.
          </Text>
        ) : (
          <Findings diagnosis={diagnosis} isNow={asked.receivedAt === ""} />
        )}
      </section>
    </div>
  );
}

type Outcome = { diagnosis?: Diagnosis; error?: unknown };

/** Only the result of the newest input is shown. No cache, because it would keep secrets. */
function useDiagnosis(form: Form, isEmpty: boolean): Outcome {
  const [outcome, setOutcome] = useState<Outcome>({});
  useEffect(() => {
    if (isEmpty || crypto.subtle === undefined) return;
    let isNewest = true;
    const tell = (told: Outcome) => isNewest && setOutcome(told);
    diagnose({ ...form, body: form.file?.bytes ?? form.body, receivedAt: timeOfReceipt(form) }).then(
      (diagnosis) => tell({ diagnosis }),
      (error: unknown) => tell({ error }),
    );
    return () => {
      isNewest = false;
    };
  }, [form, isEmpty]);
  return outcome;
}

function NoCrypto() {
  return (
    <Alert color="yellow" icon={<IconLockOff aria-hidden />} title="This page cannot use your browser's cryptography">
      Browsers allow it only over https or on localhost. Open the dashboard at such an address; on the machine itself,{" "}
      <code>http://localhost:{location.port || "80"}</code> will do.
    </Alert>
  );
}

function Fields({ form, set }: { form: Form; set: (change: Partial<Form>) => void }) {
  const serviceName = useServiceName();
  return (
    <Stack>
      <Alert color="blue" icon={<IconShieldLock aria-hidden />}>
        The secret stays on this page. It is not sent and not stored.
      </Alert>
      <PasswordInput
        label="Signing secret"
        placeholder="whsec_…"
        autoComplete="off"
        spellCheck={false}
        value={form.secret}
        onChange={(event) => set({ secret: event.currentTarget.value })}
        visibilityToggleButtonProps={{ "aria-label": "Show the secret" }}
      />
      <PasswordInput
        label="Another secret (optional)"
        description="Tried if the first does not match, for example the secret before a rotation."
        autoComplete="off"
        spellCheck={false}
        value={form.otherSecret}
        onChange={(event) => set({ otherSecret: event.currentTarget.value })}
        visibilityToggleButtonProps={{ "aria-label": "Show the other secret" }}
      />
      <Textarea
        label="Signature header"
        description={`The value of X-${serviceName}-Signature.`}
        placeholder="t=1795167000,v1=…"
        className={classes.raw}
        autosize
        minRows={2}
        maxRows={5}
        spellCheck={false}
        value={form.header}
        onChange={(event) => set({ header: event.currentTarget.value })}
      />
      <Body form={form} set={set} />
      <TextInput
        label="Time of receipt (optional)"
        description={`If empty: now. In your time zone, ${viewersZone()}.`}
        type="datetime-local"
        value={form.receivedAt}
        onChange={(event) => set({ receivedAt: event.currentTarget.value })}
      />
    </Stack>
  );
}

function Body({ form: { body, file }, set }: { form: Form; set: (change: Partial<Form>) => void }) {
  async function choose(chosen: Blob & { name: string }) {
    if (chosen.size > BODY_MAX_BYTES)
      return failed(new Error("The file is larger than 1 MiB. No delivery is that large."), "The file was not read");
    try {
      set({ file: { name: chosen.name, bytes: new Uint8Array(await chosen.arrayBuffer()) }, body: "" });
    } catch (error) {
      failed(error, "The file was not read");
    }
  }

  return (
    <div>
      <Textarea
        label="Raw body"
        description="The raw body, before parsing. Pasting changes CRLF line endings; a file keeps every byte."
        placeholder='{"event":"message.received",…}'
        className={classes.raw}
        autosize
        minRows={5}
        maxRows={14}
        spellCheck={false}
        disabled={file !== null}
        value={file ? `${file.name}, ${file.bytes.length.toLocaleString("en")} bytes` : body}
        onChange={(event) => set({ body: event.currentTarget.value })}
      />
      <Group gap="xs" mt="xs">
        <FileButton onChange={(chosen) => chosen && void choose(chosen)}>
          {(button) => (
            <Button
              {...button}
              size="compact-sm"
              variant="light"
              leftSection={<IconFileUpload size={15} aria-hidden />}
            >
              Choose a file
            </Button>
          )}
        </FileButton>
        {file && (
          <Button size="compact-sm" variant="subtle" onClick={() => set({ file: null })}>
            Type it instead
          </Button>
        )}
      </Group>
    </div>
  );
}
