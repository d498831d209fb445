// <Dialog>: a dialog that is open as long as it is rendered. When it closes, the focus goes back to where it was.
// title, onClose, and other props of Mantine's Modal
// <DialogActions>: its buttons, at the end of its content. They stay in view when the content is longer than the screen.
"use client";
import { Modal, type ModalProps } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import classes from "./dialog.module.css";

/** What has the focus; for an item of a menu, which closes, the button of the menu. */
function focused(): Element | null {
  const active = document.activeElement;
  const button = active?.closest('[role="menu"]')?.getAttribute("aria-labelledby");
  return button ? document.getElementById(button) : active;
}

export function Dialog(modal: Omit<ModalProps, "opened">) {
  // Mantine gives the focus back only when `opened` changes.
  useEffect(() => {
    const before = focused();
    return () => {
      if (document.activeElement !== document.body) return;
      // What opened it may be gone: the button of an empty list, the row that was deleted.
      const isThere = before?.isConnected && before !== document.body;
      const target = isThere ? before : document.getElementById("main");
      if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    };
  }, []);
  return <Modal {...modal} opened />;
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={classes.actions}>{children}</div>;
}
