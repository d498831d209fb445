// How Next builds the pages; server/pages.ts runs the build, serves it and adds the security headers.
// Not .ts: Node reads this file as it is; for a .ts Next loads its compiler into the serving process, and there it does
// not find the import of another .ts file.
import { pagesFingerprint } from "./server/pages-fingerprint.ts";

/** @type {import("next").NextConfig} */
export default {
  distDir: ".next",
  poweredByHeader: false,
  reactStrictMode: true,
  // By its id a start knows whether the build is of these sources.
  generateBuildId: () => pagesFingerprint(import.meta.dirname),
  // `npm run verify` checks these files with everything else; a start from a fresh clone does not wait for it.
  typescript: { ignoreBuildErrors: true },
  // Nothing but the build is written into this folder by `next dev`.
  agentRules: false,
  devIndicators: false,
};
