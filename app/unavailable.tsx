// Shown in place of content that could not be fetched, with a button to try again.
"use client";

type Props = { what: string; error: Error; retry: () => void; busy: boolean };

export function Unavailable({ what, error, retry, busy }: Props) {
  return (
    <div className="unavailable" role="alert">
      <p>
        <strong>{what} could not be read.</strong> {error.message}.
      </p>
      <button type="button" className="button small" onClick={retry} disabled={busy}>
        {busy ? "Trying…" : "Try again"}
      </button>
    </div>
  );
}
