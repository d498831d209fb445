// <FormDialog>: a dialog that asks, and acts when its form is sent. It shows a failure, and stays open while it acts.
// title, children (text and fields; `data-autofocus` on the field to begin with), what ("The key was not issued"), acting (the
// mutation's error and isPending), action ("Issue key"), onAct, onClose
// <DialogForm>: only its form, for a <Dialog> that shows something else before or after it.
"use client";
import { Button, Group, Stack } from "@mantine/core";
import type { ReactNode, SubmitEvent } from "react";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./problem.tsx";

type FormProps = {
  /** What did not happen if `acting` failed. */
  what?: string;
  /** The children show it. */
  hideFailure?: boolean;
  acting: { error: unknown; isPending: boolean };
  action: string;
  /** `red`: for what takes something away. The focus is then on "Cancel", unless a field has it. */
  color?: "red";
  disabled?: boolean;
  /** The fields are checked by the caller, not by the browser. */
  noValidate?: boolean;
  /** The words on the button that only closes. */
  cancel?: string;
  onAct: () => void;
  onClose: () => void;
  children: ReactNode;
};

export function FormDialog({ title, size = "md", ...form }: FormProps & { title: string; size?: "md" | "lg" }) {
  return (
    <Dialog title={title} size={size} onClose={form.acting.isPending ? () => {} : form.onClose}>
      <DialogForm {...form} />
    </Dialog>
  );
}

export function DialogForm({ what, hideFailure, acting, action, color, onAct, onClose, children, ...more }: FormProps) {
  function submit(event: SubmitEvent) {
    event.preventDefault();
    onAct();
  }
  return (
    <form onSubmit={submit} noValidate={more.noValidate ?? false}>
      <Stack>
        {Boolean(acting.error) && !hideFailure && <Problem error={acting.error} {...(what && { what })} />}
        {children}
        <Group justify="flex-end">
          <Button
            variant="default"
            onClick={onClose}
            disabled={acting.isPending}
            data-autofocus={color === "red" || undefined}
          >
            {more.cancel ?? "Cancel"}
          </Button>
          <Button type="submit" loading={acting.isPending} disabled={more.disabled ?? false} {...(color && { color })}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
