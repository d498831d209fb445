// Shown when a page fails: what to do, and the way back.
"use client";

export default function PageFailed({ reset }: { reset: () => void }) {
  return (
    <main className="lost">
      <p className="lost-eyebrow">Error</p>
      <h1>This page failed</h1>
      <p className="lost-lede">
        An error occurred in this page. The service is not affected. Try again; if it fails again, reload the page.
      </p>
      <p>
        <button type="button" className="lost-button" onClick={reset}>
          Try again
        </button>
      </p>
    </main>
  );
}
