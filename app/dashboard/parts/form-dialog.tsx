// <FormDialog>: a dialog that asks, and acts when its form is sent. It shows a failure, and stays while it acts. When it
// closes, the focus goes back to where it was.
// title, children (text and fields; `data-autofocus` on the field to begin with), what ("The key was not issued"), acting (the
// mutation's error and isPending), action ("Issue key"), onAct, onClose
"use client";
import { Button, Group, Modal, type ModalProps, Stack } from "@mantine/core";
import { type ReactNode, type SubmitEvent, useEffect, useState } from "react";
import { Problem } from "./problem.tsx";

type Props = {
  title: string;
  size?: ModalProps["size"];
  /** What did not happen if `acting` failed; undefined: the form shows the failure itself. */
  what: string | undefined;
  acting: { error: unknown; isPending: boolean };
  action: string;
  /** `red`: for what cannot be undone; the focus is then on "Cancel" unless a field has it. */
  color?: "red";
  disabled?: boolean;
  /** The form checks its fields itself. */
  noValidate?: boolean;
  /** The other button, if it does not say "Cancel". */
  cancel?: string;
  onAct: () => void;
  onClose: () => void;
  children: ReactNode;
};

export function FormDialog({ title, size, what, acting, action, color, disabled, cancel, onAct, ...rest }: Props) {
  const { noValidate, onClose, children } = rest;
  useFocusBack();

  function submit(event: SubmitEvent) {
    event.preventDefault();
    onAct();
  }

  return (
    <Modal opened onClose={acting.isPending ? () => {} : onClose} title={title} size={size ?? "md"}>
      <form onSubmit={submit} noValidate={noValidate ?? false}>
        <Stack>
          {what && Boolean(acting.error) && <Problem error={acting.error} what={what} />}
          {children}
          <Group justify="flex-end">
            <Button
              variant="default"
              onClick={onClose}
              disabled={acting.isPending}
              data-autofocus={color === "red" || undefined}
            >
              {cancel ?? "Cancel"}
            </Button>
            <Button type="submit" loading={acting.isPending} disabled={disabled ?? false} {...(color && { color })}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Mantine's dialog gives the focus back only if it is there before it opens. */
function useFocusBack() {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    },
    [before],
  );
}
