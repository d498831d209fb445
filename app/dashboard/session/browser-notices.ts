// Whether this browser shows notices: the member's choice, kept in the browser. Permission is asked only by a click.
"use client";
import { useSyncExternalStore } from "react";

const KEY = "browser-notices";
const CHANGED = "browser-notices-changed";

function isOn(): boolean {
  return (
    typeof Notification !== "undefined" && Notification.permission === "granted" && localStorage.getItem(KEY) === "on"
  );
}

function watch(listener: () => void): () => void {
  window.addEventListener(CHANGED, listener);
  window.addEventListener("storage", listener);
  return () => {
    window.removeEventListener(CHANGED, listener);
    window.removeEventListener("storage", listener);
  };
}

export function useBrowserNotices(): boolean {
  return useSyncExternalStore(watch, isOn, () => false);
}

export function turnBrowserNotices(on: boolean): void {
  if (on) localStorage.setItem(KEY, "on");
  else localStorage.removeItem(KEY);
  window.dispatchEvent(new Event(CHANGED));
}
