// Sets up a second factor: the password, then the secret and its first code, then the recovery codes.
"use client";
import { Alert, Button, PasswordInput, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { encode } from "uqr";
import { CodeField } from "../../design/code-field.tsx";
import { IconDownload } from "../../design/icons.tsx";
import { IconAlertTriangle } from "../../design/shell-icons.tsx";
import { Copy } from "../parts/copy.tsx";
import { DialogActions } from "../parts/dialog.tsx";
import { DialogForm } from "../parts/form-dialog.tsx";
import { saveText } from "../parts/save-file.ts";
import { type Outputs, useTRPC } from "../trpc.ts";
import classes from "./second-factor.module.css";

type Begun = Outputs["team"]["beginSecondFactor"];
type Leaving = { cancel: string; onCancel: () => void };
type Props = Leaving & {
  email: string;
  /** The recovery codes are shown now, and never again. */
  onCodes?: () => void;
  /** After the recovery codes were stored. */
  onDone: () => void;
};

/** Light modules around the code that scanners need (ISO/IEC 18004). */
const QUIET_MODULES = 4;
const GROUP_CHARS = 4;

export function SetUpSecondFactor({ email, onCodes, onDone, ...leaving }: Props) {
  const [begun, setBegun] = useState<Begun | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  if (codes) return <RecoveryCodes codes={codes} onDone={onDone} />;
  const confirmed = (made: string[]) => {
    setCodes(made);
    onCodes?.();
  };
  if (begun) return <FirstCode begun={begun} onConfirmed={confirmed} {...leaving} />;
  return <Password email={email} onBegun={setBegun} {...leaving} />;
}

type PasswordProps = Leaving & { email: string; onBegun: (begun: Begun) => void };

function Password({ email, onBegun, cancel, onCancel }: PasswordProps) {
  const trpc = useTRPC();
  const [password, setPassword] = useState("");
  const begin = useMutation(trpc.team.beginSecondFactor.mutationOptions({ onSuccess: onBegun }));
  return (
    <DialogForm
      acting={begin}
      action="Continue"
      what="The set-up did not begin"
      cancel={cancel}
      disabled={!password}
      onAct={() => begin.mutate({ password })}
      onClose={onCancel}
    >
      <Text size="sm">
        With a second factor, a sign-in needs your password and a code of an authenticator app on your phone. Another
        person who learns your password cannot sign in with it.
      </Text>
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordInput
        label="Your password"
        required
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        data-autofocus
      />
    </DialogForm>
  );
}

type FirstCodeProps = Leaving & { begun: Begun; onConfirmed: (codes: string[]) => void };

function FirstCode({ begun, onConfirmed, cancel, onCancel }: FirstCodeProps) {
  const trpc = useTRPC();
  const [code, setCode] = useState("");
  const confirm = useMutation(
    trpc.team.confirmSecondFactor.mutationOptions({ onSuccess: ({ recovery_codes }) => onConfirmed(recovery_codes) }),
  );
  const groups = begun.secret.match(new RegExp(`.{1,${GROUP_CHARS}}`, "g")) ?? [];
  return (
    <DialogForm
      acting={confirm}
      action="Turn on"
      what="The second factor was not turned on"
      cancel={cancel}
      disabled={!code}
      onAct={() => confirm.mutate({ setup: begun.setup, code })}
      onClose={onCancel}
    >
      <Text size="sm">Scan the picture with your authenticator app, or type the secret into the app.</Text>
      <QrCode text={begun.uri} />
      <div className={classes.secret}>
        <code>{groups.join(" ")}</code>
        <Copy text={begun.secret} what="the secret" />
      </div>
      <CodeField value={code} onChange={setCode} description="The one that the app shows now." />
    </DialogForm>
  );
}

/** Drawn here, because the secret must reach no other service. */
function QrCode({ text }: { text: string }) {
  const { size, path } = useMemo(() => {
    const { data } = encode(text, { border: QUIET_MODULES });
    const dark = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")));
    return { size: data.length, path: dark.join("") };
  }, [text]);
  return (
    <svg
      className={classes.picture}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label="QR code of the secret"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  const text = `${codes.join("\n")}\n`;
  return (
    <Stack>
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
        The second factor is on. Store these recovery codes now, but not on your phone: each one signs you in once if
        you lose it. They are shown only once.
      </Alert>
      <div className={classes.secret}>
        <ol className={classes.codes} aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ol>
        <Copy text={text} what="the recovery codes" isFirst />
      </div>
      <DialogActions>
        <Button
          variant="default"
          leftSection={<IconDownload size={17} aria-hidden />}
          onClick={() => saveText([text], "recovery-codes.txt")}
        >
          Download
        </Button>
        <Button onClick={onDone}>I have stored them</Button>
      </DialogActions>
    </Stack>
  );
}
