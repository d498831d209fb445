// Toasts. succeeded("Webhook deleted", { undo }) confirms an action, with Undo if possible; failed(error, "The webhook
// was not deleted") shows the error and what to do, and stays until it is dismissed.
"use client";
import { Button, Code, Kbd, Text } from "@mantine/core";
import { randomId } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import type { ReactNode } from "react";
import type { Icon } from "../../design/draw-icon.tsx";
import { IconCheck } from "../../design/icons.tsx";
import { IconAlertTriangle } from "../../design/shell-icons.tsx";
import { describeFailure } from "./failure.ts";
import { useShortcuts } from "./shortcuts.ts";

const SHOWN_MS = 5_000;
/** Long enough to read, decide and reach the button (WCAG 2.2.1: hovering or focusing the toast stops the clock). */
const SHOWN_WITH_UNDO_MS = 12_000;

/** Toasts about what is done, which say nothing on another page. */
const passing = new Set<string>();

/** Before a member goes to another page. What can be undone, and failures, stay. */
export function closePassing(): void {
  for (const id of passing) notifications.hide(id);
}

type Toast = Parameters<typeof notifications.show>[0] & { id: string; autoClose: number };

/** Shows a toast that stays while something in it has the focus, and then begins its time again. */
export function showToast(toast: Toast): void {
  notifications.show({
    withBorder: true,
    onFocus: () => void notifications.update({ ...toast, autoClose: false }),
    onBlur: () => void notifications.update(toast),
    ...toast,
  });
}

/** The button of a toast, and its key. */
export function UndoButton({ onUndo }: { onUndo: () => void }) {
  useShortcuts([{ keys: "z", does: "Undo what the message at the bottom says", run: onUndo }]);
  return (
    <Button size="compact-sm" variant="light" ml="xs" onClick={onUndo} aria-keyshortcuts="z">
      Undo
      <Kbd size="xs" ml={6} className="of-keyboards">
        Z
      </Kbd>
    </Button>
  );
}

type Done = { undo?: () => Promise<unknown>; color?: string; Shape?: Icon };

/**
 * @param options.undo undoes the action; the toast closes, and shows an error if it fails
 * @param options.color with `Shape`: of the state that the action led to
 */
export function succeeded(message: ReactNode, { undo, color = "green", Shape = IconCheck }: Done = {}): void {
  const id = randomId();
  function back() {
    notifications.hide(id);
    undo?.().catch((error: unknown) => failed(error, "It could not be undone"));
  }
  showToast({
    id,
    color,
    icon: <Shape size={18} aria-hidden />,
    autoClose: undo ? SHOWN_WITH_UNDO_MS : SHOWN_MS,
    role: "group",
    onClose: () => passing.delete(id),
    message: undo ? (
      <>
        {message} <UndoButton onUndo={back} />
      </>
    ) : (
      message
    ),
  });
  if (!undo) passing.add(id);
}

/** @param what what did not happen, as a sentence without its full stop */
export function failed(error: unknown, what?: string): void {
  const { message, fix, requestId } = describeFailure(error);
  notifications.show({
    color: "red",
    icon: <IconAlertTriangle size={18} aria-hidden />,
    autoClose: false,
    withBorder: true,
    role: "alert",
    title: what ?? message,
    message: (
      <>
        {what && `${message} `}
        {fix}
        {requestId && (
          <Text size="xs" c="dimmed" mt={4}>
            Request <Code>{requestId}</Code>
          </Text>
        )}
      </>
    ),
  });
}
