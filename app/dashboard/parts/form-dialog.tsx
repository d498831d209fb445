// <FormDialog>: a dialog that asks, and acts when its form is sent. It shows a failure, and stays open while it acts.
// title, children (text and fields; `data-autofocus` on the field to begin with, otherwise it is the first, or "Cancel"), what
// ("The key was not issued"), acting (the mutation's error and isPending), action ("Issue key"), onAct, onClose
// <DialogForm>: only its form, for a <Dialog> that shows something else before or after it.
"use client";
import { Button, Stack } from "@mantine/core";
import { type ReactNode, type SubmitEvent, useEffect, useRef } from "react";
import { Dialog, DialogActions } from "./dialog.tsx";
import { Problem } from "./problem.tsx";

type FormProps = {
  /** What did not happen if `acting` failed. */
  what?: string;
  /** The children show it. */
  hideFailure?: boolean;
  acting: { error: unknown; isPending: boolean };
  action: string;
  /** `red`: for what takes something away. The focus is then on "Cancel", unless a field has `data-autofocus`. */
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

const FIELD = ":is(input, select, textarea):not(:disabled, [hidden], [type=radio]:not(:checked))";

export function FormDialog({ title, size = "md", ...form }: FormProps & { title: string; size?: "md" | "lg" }) {
  return (
    <Dialog title={title} size={size} onClose={form.acting.isPending ? () => {} : form.onClose}>
      <DialogForm {...form} />
    </Dialog>
  );
}

export function DialogForm({ what, hideFailure, acting, action, color, onAct, onClose, children, ...more }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  // Mantine begins with its close button when no element is marked, and does not look at what appears later.
  useEffect(() => {
    const find = (selector: string) => form.current?.querySelector<HTMLElement>(selector);
    const first = find("[data-autofocus]") ?? find(FIELD) ?? find("[type=button]");
    first?.setAttribute("data-autofocus", "true");
    first?.focus({ preventScroll: true });
  }, []);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    onAct();
  }
  return (
    <form ref={form} onSubmit={submit} noValidate={more.noValidate ?? false}>
      <Stack>
        {Boolean(acting.error) && !hideFailure && <Problem error={acting.error} {...(what && { what })} />}
        {children}
        <DialogActions>
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
        </DialogActions>
      </Stack>
    </form>
  );
}
