// <ConfirmByTyping>: the dialog before an action that cannot be undone. The name must be typed; a failure is shown inside.
// title ("Delete this webhook?"), name (what to type), confirm ("Delete webhook"), onConfirm (does it; returns a promise),
// onClose, children (what will happen)
"use client";
import { Code, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { FormDialog } from "./form-dialog.tsx";

type Props = {
  title: string;
  name: string;
  confirm: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
};

export default function ConfirmByTyping({ title, name, confirm, onConfirm, onClose, children }: Props) {
  const [typed, setTyped] = useState("");
  const act = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const matches = typed.trim() === name;
  return (
    <FormDialog
      title={title}
      acting={act}
      action={confirm}
      color="red"
      disabled={!matches}
      onAct={() => matches && act.mutate()}
      onClose={onClose}
    >
      <Text component="div">{children}</Text>
      <TextInput
        label={
          <>
            Type <Code>{name}</Code> to confirm
          </>
        }
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
    </FormDialog>
  );
}
