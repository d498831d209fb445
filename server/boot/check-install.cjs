// Runs before the program: reports a missing `npm install`, and keeps compiled code for the next start. Uses only syntax that every Node
// version understands.
"use strict";

var existsSync = require("fs").existsSync;
var join = require("path").join;

var OLDEST_FOR_INSTALL = 20;
var major = Number(process.versions.node.split(".")[0]);
var isInstalled = existsSync(join(__dirname, "../../node_modules/zod/package.json"));

function refuse(text) {
  process.stderr.write(text + "\n");
  process.exit(1);
}

if (!isInstalled && major < OLDEST_FOR_INSTALL) {
  refuse("Install Node 20 or newer (this is " + process.versions.node + "), then run `npm install`.");
}
if (!isInstalled)
  refuse("Run `npm install` first. It installs the packages and the Node version that this project uses.");
// npm installs a Node for common platforms; on others, the system's Node must be able to run TypeScript.
if (!process.features.typescript) {
  refuse(
    "Node 24 or newer is needed (this is " + process.versions.node + "). Run `npm install`, then use the npm scripts.",
  );
}
// A start with it takes a quarter less CPU. Where the folder cannot be written, nothing is kept.
require("module").enableCompileCache(join(__dirname, "../../node_modules/.cache/compiled"));
require("./resolve-drizzle.cjs");
