// <Problem>: shown in place of content that failed to load. Shows what happened, what to do, the request id, and a
// button to try again.
// error the thrown error
// what names the content: "The webhooks could not be loaded." (optional)
// retry for "Try again" (optional)
// busy a retry is running (optional)
// Plain HTML: it is in the first script of every page, since it may have to show before anything else can load.
"use client";
import { IconAlertTriangle } from "../../design/shell-icons.tsx";
import { describeFailure } from "./failure.ts";
import classes from "./problem.module.css";

type Props = { error: unknown; what?: string; retry?: () => void; busy?: boolean };

export function Problem({ error, what, retry, busy = false }: Props) {
  const { message, fix, requestId } = describeFailure(error);
  return (
    <div role="alert" className={classes.problem}>
      <IconAlertTriangle size={20} aria-hidden />
      <div className={classes.words}>
        <strong>{what ?? message}</strong>
        {what && <p>{message}</p>}
        {fix && <p>{fix}</p>}
        {requestId && (
          <p className={classes.request}>
            Request <code>{requestId}</code>
          </p>
        )}
        {retry && (
          <button type="button" onClick={retry} disabled={busy}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}
