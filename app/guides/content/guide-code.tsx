// <GuideCode>: code of a guide with a copy button. Where it names a service on this machine, it names the one that shows it.
"use client";
import { useSyncExternalStore } from "react";
import { CopyButton } from "../../copy-button.tsx";
import { ScrollingCode } from "../../design/scrolling.tsx";
import { useService } from "../../service-document.ts";

/** As the guides write the address of a service that was started with the defaults. */
const WRITTEN = "http://127.0.0.1:3000";
const WRITTEN_SMTP = "smtp://127.0.0.1:2525";

const neverChanges = () => () => {};

type Props = { text: string; className: string | undefined };

export function GuideCode({ text, className }: Props) {
  const origin = useSyncExternalStore(
    neverChanges,
    () => window.location.origin,
    () => WRITTEN,
  );
  const shown = text.replaceAll(WRITTEN, origin);
  return shown.includes(WRITTEN_SMTP) ? (
    <WithSmtp text={shown} className={className} />
  ) : (
    <Code text={shown} className={className} />
  );
}

/** The service says where it receives mail. */
function WithSmtp({ text, className }: Props) {
  const { data } = useService();
  const shown = data ? text.replaceAll(WRITTEN_SMTP, `smtp://${data.smtp.host}:${data.smtp.port}`) : text;
  return <Code text={shown} className={className} />;
}

function Code({ text, className }: Props) {
  return (
    <div className="code">
      <ScrollingCode text={text} className={className} />
      <CopyButton text={text} what="the code" />
    </div>
  );
}
