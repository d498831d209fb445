// The page for an address that leads nowhere.
import type { Metadata } from "next";

export const metadata: Metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <main className="lost">
      <p className="lost-eyebrow">404</p>
      <h1>No berth at this address</h1>
      <p className="lost-lede">
        Nothing is moored here. If a program sent you, its paths begin with <code>/v1</code>; a person finds all of them
        on the front page.
      </p>
      <p>
        <a className="lost-button" href="/">
          To the front page
        </a>
      </p>
    </main>
  );
}
