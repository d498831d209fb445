// useLeavingWarning(isUnsaved): the browser asks before the page is closed while something is not saved.
"use client";
import { useEffect } from "react";

export function useLeavingWarning(isUnsaved: boolean) {
  useEffect(() => {
    if (!isUnsaved) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isUnsaved]);
}
