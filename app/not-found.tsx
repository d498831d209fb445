// The page for an address that leads nowhere.
import type { Metadata } from "next";
import Link from "next/link";

export const metadata: Metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <main className="lost">
      <p className="eyebrow">404</p>
      <h1>No berth at this address</h1>
      <p className="lede">
        Nothing is moored here. If a program sent you, its paths begin with <code>/v1</code>; a person finds all of them
        on the front page.
      </p>
      <p>
        <Link className="button" href="/">
          To the front page
        </Link>
      </p>
    </main>
  );
}
