// How Next builds the pages; server/boot/pages.ts runs the build, serves it and adds the security headers.
// Node reads this file: server/base/env.ts and the script `build` tell Next not to load its compiler for it (docs/decisions/022).
import type { NextConfig } from "next";
import { pagesFingerprint } from "./server/boot/pages-fingerprint.ts";

const config: NextConfig = {
  distDir: ".next",
  poweredByHeader: false,
  // Where Next serves the API too, nothing is compressed: it would hold back what a stream has sent so far.
  compress: process.env.MAILBERTH_SERVER === "own",
  reactStrictMode: true,
  // By its id a start knows whether the build is of these sources.
  generateBuildId: () => pagesFingerprint(import.meta.dirname),
  // `npm run verify` checks these files with everything else; a start from a fresh clone does not wait for it.
  typescript: { ignoreBuildErrors: true },
  // Nothing but the build is written into this folder by `next dev`.
  agentRules: false,
  devIndicators: false,
  // Few and large files for each page (docs/decisions/070). Sizes are bytes of source.
  experimental: {
    cssChunking: { type: "graph", requestCost: 10_000_000 },
    turbopackChunking: {
      requestCost: 3_000_000,
      minChunkSize: 400_000,
      maxChunkCountPerGroup: 6,
      maxMergeChunkSize: 2_000_000,
    },
  },
};

export default config;
