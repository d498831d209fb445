// <GuideCode>: code of a guide with a copy button. Where it names a service on this machine, it names the one that shows it.
"use client";
import { useSyncExternalStore } from "react";
import { CopyButton } from "../../copy-button.tsx";
import { ScrollingCode } from "../../design/scrolling.tsx";

/** As the guides write the address of a service that was started with the defaults. */
const WRITTEN = "http://127.0.0.1:3000";

const neverChanges = () => () => {};

export function GuideCode({ text, className }: { text: string; className: string | undefined }) {
  const origin = useSyncExternalStore(
    neverChanges,
    () => window.location.origin,
    () => WRITTEN,
  );
  const shown = text.replaceAll(WRITTEN, origin);
  return (
    <div className="code">
      <ScrollingCode text={shown} className={className} />
      <CopyButton text={shown} what="the code" />
    </div>
  );
}
