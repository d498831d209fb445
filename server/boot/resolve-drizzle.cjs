// Resolves the modules of drizzle-orm. For each import of one of them Node parses the `exports` of its package.json anew, 130 kB: half of
// the CPU of a start (docs/decisions/065-resolving-drizzle.md).
"use strict";

const { registerHooks } = require("node:module");

const INSIDE = "/node_modules/drizzle-orm/";
const known = new Map();

registerHooks({
  resolve(specifier, context, next) {
    if (!context.conditions.includes("import")) return next(specifier, context);
    if (context.parentURL?.includes(INSIDE) && /^\.\.?\/.*\.js$/.test(specifier)) {
      return { url: new URL(specifier, context.parentURL).href, format: "module", shortCircuit: true };
    }
    if (specifier !== "drizzle-orm" && !specifier.startsWith("drizzle-orm/")) return next(specifier, context);
    const resolved = known.get(specifier) ?? { ...next(specifier, context), shortCircuit: true };
    known.set(specifier, resolved);
    return resolved;
  },
});
