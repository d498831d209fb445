// The frame of every page: language, title, colours, a query client. Each part of the site has its own stylesheet.
// Links between parts are plain <a>: a full load removes the stylesheets of the other part.
import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { Providers } from "./providers.tsx";
import "./palette.css";
import "./lost.css";

export const metadata: Metadata = {
  title: { default: "Mailberth: mail for software agents", template: "%s · Mailberth" },
  description:
    "Open, self-hosted mail for software agents: mailboxes in one call, signed webhooks, a sending cap that ramps.",
};

export const viewport: Viewport = {
  colorScheme: "light dark",
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#faf8f3" },
    { media: "(prefers-color-scheme: dark)", color: "#0c1a22" },
  ],
};

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    // design/frame.tsx sets the chosen colour scheme on it before React runs.
    <html lang="en" suppressHydrationWarning>
      <head>
        {/* Next would remove a link that it wrote while the page changes, and the browser then asks for /favicon.ico. */}
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
      </head>
      <body>
        <Providers>{children}</Providers>
      </body>
    </html>
  );
}
