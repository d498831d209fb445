// The dialog of confirm-by-typing.tsx, loaded when it is first opened.
"use client";
import { Button, Code, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, type SubmitEvent, useState } from "react";
import { Problem } from "./problem.tsx";

export type ConfirmByTypingProps = {
  opened: boolean;
  onClose: () => void;
  title: string;
  name: string;
  confirm: string;
  onConfirm: () => Promise<unknown>;
  children: ReactNode;
};

export default function ConfirmByTypingDialog({ opened, onClose, title, ...body }: ConfirmByTypingProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Body onClose={onClose} {...body} />
    </Modal>
  );
}

function Body({ onClose, name, confirm, onConfirm, children }: Omit<ConfirmByTypingProps, "opened" | "title">) {
  const [typed, setTyped] = useState("");
  const act = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const matches = typed.trim() === name;

  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (matches) act.mutate();
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text component="div">{children}</Text>
        {act.error && <Problem error={act.error} />}
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
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red" disabled={!matches} loading={act.isPending}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
