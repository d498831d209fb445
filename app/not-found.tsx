// The page for unknown addresses. Below /dashboard it is in the dashboard's frame.
import type { Metadata } from "next";
import { LostInDashboard } from "./lost-in-dashboard.tsx";

export const metadata: Metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <LostInDashboard>
      <main className="lost">
        <p className="lost-eyebrow">404</p>
        <h1>Page not found</h1>
        <p className="lost-lede">
          There is no page at this address. API paths start with <code>/v1</code>; <a href="/docs">the API reference</a>{" "}
          lists them.
        </p>
        <p>
          <a className="lost-button" href="/">
            To the front page
          </a>
        </p>
      </main>
    </LostInDashboard>
  );
}
