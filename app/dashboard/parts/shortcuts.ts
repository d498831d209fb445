// useShortcuts: single keys that do something on the page, and the list of them for the help dialog.
// useShortcuts([{ keys: "j", does: "Select the next thread", run: next }]);
"use client";
import { useEffect, useEffectEvent } from "react";

/** `keys`: the key as `KeyboardEvent.key` has it. `does`: what it does, for the help dialog. `repeats`: as long as the key is down. */
export type Shortcut = { keys: string; does: string; run: () => void; repeats?: true };

const TYPED =
  "input:not([type=checkbox],[type=radio],[type=button]), textarea, select, [contenteditable]:not([contenteditable=false])";
const DIALOG = "[role=dialog], [role=menu], [role=listbox]";
const active = new Set<() => Shortcut[]>();

/** Keys that are typed, or meant for an open dialog or menu, do nothing here. */
function isForPage({ target, defaultPrevented, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent): boolean {
  if (defaultPrevented || ctrlKey || metaKey || altKey || isComposing) return false;
  if (target instanceof Element && target.closest(TYPED)) return false;
  return ![...document.querySelectorAll(DIALOG)].some((dialog) => dialog.checkVisibility());
}

export function useShortcuts(shortcuts: Shortcut[]): void {
  const current = useEffectEvent(() => shortcuts);
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!isForPage(event)) return;
    const shortcut = shortcuts.find(({ keys }) => keys === event.key);
    if (!shortcut) return;
    event.preventDefault();
    if (!event.repeat || shortcut.repeats) shortcut.run();
  });
  useEffect(() => {
    const list = () => current();
    const listener = (event: KeyboardEvent) => press(event);
    active.add(list);
    document.addEventListener("keydown", listener);
    return () => {
      active.delete(list);
      document.removeEventListener("keydown", listener);
    };
  }, []);
}

/** Lines that Enter begins. */
const LINES = "textarea, [contenteditable]:not([contenteditable=false])";

/** A browser clicks a button, and sends a form, again and again while Enter is down: the next one may delete or send something else. */
export function useSingleEnter(): void {
  useEffect(() => {
    function stop(event: KeyboardEvent) {
      if (!event.repeat || event.key !== "Enter") return;
      const { target, ctrlKey, metaKey } = event;
      if (target instanceof Element && target.closest(LINES) && !ctrlKey && !metaKey) return;
      event.preventDefault();
      event.stopPropagation();
    }
    document.addEventListener("keydown", stop, { capture: true });
    return () => document.removeEventListener("keydown", stop, { capture: true });
  }, []);
}

/** The shortcuts of everything on the page. */
export function activeShortcuts(): Shortcut[] {
  return [...active].flatMap((list) => list());
}
