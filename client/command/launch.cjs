#!/usr/bin/env node
// The program of the package `mailberth`: runs the command with a Node that is new enough, this one or the package's own.
// Uses only syntax that Node 20 understands.
"use strict";

const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { pathToFileURL } = require("node:url");

const OLDEST_MAJOR = 24;
const MAIN = join(__dirname, "../client/command/main.js");
const SIGNALS = ["SIGINT", "SIGTERM"];

/** The Node that the package's optional dependencies installed; undefined on other platforms. */
function ownNode() {
  const platform = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  for (const name of [`node-${platform}`, `node-bin-${platform}`]) {
    try {
      const folder = join(dirname(require.resolve(`${name}/package.json`)), "bin");
      const program = join(folder, process.platform === "win32" ? "node.exe" : "node");
      if (existsSync(program)) return program;
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  return undefined;
}

function runWith(program) {
  const child = spawn(program, [MAIN, ...process.argv.slice(2)], { stdio: "inherit" });
  // A terminal sends Ctrl-C to both; another program sends a signal to this process only.
  for (const signal of SIGNALS) process.on(signal, () => process.stdin.isTTY || child.kill(signal));
  child.on("exit", (code, signal) => {
    for (const name of SIGNALS) process.removeAllListeners(name);
    if (signal) process.kill(process.pid, signal);
    else process.exit(code);
  });
}

if (Number(process.versions.node.split(".")[0]) >= OLDEST_MAJOR) {
  import(pathToFileURL(MAIN).href);
} else {
  const program = ownNode();
  if (program) runWith(program);
  else {
    process.stderr.write(`Install Node ${OLDEST_MAJOR} or newer (this is ${process.versions.node}), then repeat.\n`);
    process.exit(1);
  }
}
