// The dialog in which members turn their second factor on or off.
"use client";
import { PasswordInput, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { CodeField } from "../../../design/code-field.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { DialogForm } from "../../parts/form-dialog.tsx";
import { succeeded } from "../../parts/toast.tsx";
import { Unloaded } from "../../parts/unloaded.tsx";
import { SetUpSecondFactor } from "../../session/set-up-second-factor.tsx";
import { type Outputs, useTRPC } from "../../trpc.ts";

type State = Outputs["team"]["secondFactor"];

export default function SecondFactor({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  // While it is set up, a new reading would replace the recovery codes with the form that turns it off.
  const factor = useQuery({ ...trpc.team.secondFactor.queryOptions(), staleTime: Number.POSITIVE_INFINITY, gcTime: 0 });
  // They are shown once: only their own button closes the dialog then.
  const [hasCodes, setHasCodes] = useState(false);
  const done = async () => {
    onClose();
    await queries.invalidateQueries(trpc.team.pathFilter());
  };
  return (
    <Dialog
      title="Second factor"
      onClose={onClose}
      closeOnClickOutside={false}
      closeOnEscape={!hasCodes}
      withCloseButton={!hasCodes}
    >
      {factor.data ? (
        <Content state={factor.data} onCodes={() => setHasCodes(true)} onDone={done} onClose={onClose} />
      ) : (
        <Unloaded query={factor} what="account" />
      )}
    </Dialog>
  );
}

type Props = { state: State; onDone: () => void; onClose: () => void };

function Content({ state, onCodes, onDone, onClose }: Props & { onCodes: () => void }) {
  if (state.is_on) return <TurnOff state={state} onDone={onDone} onClose={onClose} />;
  if (!state.has_password) {
    return (
      <Text size="sm">
        You sign in with your company account, which asks for a second factor itself. Ask an owner of your organization
        to unlink it.
      </Text>
    );
  }
  const set = { onCancel: onClose, onCodes, onDone };
  return <SetUpSecondFactor email={state.email} cancel="Cancel" {...set} />;
}

function TurnOff({ state, onDone, onClose }: Props) {
  const trpc = useTRPC();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const end = useMutation(
    trpc.team.endSecondFactor.mutationOptions({
      onSuccess() {
        succeeded("The second factor is off");
        onDone();
      },
    }),
  );
  return (
    <DialogForm
      acting={end}
      action="Turn off"
      what="The second factor is still on"
      color="red"
      disabled={!password || !code}
      onAct={() => end.mutate({ password, code })}
      onClose={onClose}
    >
      <Text size="sm">
        It is on, and {state.recovery_codes_left} of your recovery codes are left. For another phone or new recovery
        codes, turn it off and on again. All other sessions are signed out.
      </Text>
      <input type="email" autoComplete="username" value={state.email} readOnly hidden />
      <PasswordInput
        label="Your password"
        required
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <CodeField value={code} onChange={setCode} />
    </DialogForm>
  );
}
