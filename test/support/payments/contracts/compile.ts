// Compiles the contracts beside it into `compiled.json`, which is committed: `node test/support/payments/contracts/compile.ts`.
// It fetches the compiler with npx, so that neither an install nor a test needs it.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const COMPILER = "solc@0.8.30";
const CONTRACTS = ["TestDollar", "Multicall"];
const OUTPUT_MAX_BYTES = 16 * 1024 * 1024;

type Output = {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<string, Record<string, { abi: object[]; evm: { deployedBytecode: { object: string } } }>>;
};

const sources = CONTRACTS.map((name) => {
  const content = readFileSync(join(import.meta.dirname, `${name}.sol`), "utf8");
  return { name, content, sha256: createHash("sha256").update(content).digest("hex") };
});
const input = {
  language: "Solidity",
  sources: Object.fromEntries(sources.map(({ name, content }) => [name, { content }])),
  settings: {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: "cancun",
    metadata: { appendCBOR: false, bytecodeHash: "none" },
    outputSelection: { "*": { "*": ["abi", "evm.deployedBytecode.object"] } },
  },
};
const answer = execFileSync("npx", ["--yes", "--package", COMPILER, "solcjs", "--standard-json"], {
  input: JSON.stringify(input),
  maxBuffer: OUTPUT_MAX_BYTES,
}).toString();
// solcjs says a line about itself first.
const output = JSON.parse(answer.slice(answer.indexOf("{"))) as Output;
const errors = (output.errors ?? []).filter(({ severity }) => severity === "error");
if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));

const compiled = sources.map(({ name, sha256 }) => {
  const { abi, evm } = output.contracts[name]?.[name] ?? { abi: [], evm: { deployedBytecode: { object: "" } } };
  return [name, { compiler: COMPILER, source_sha256: sha256, runtime: `0x${evm.deployedBytecode.object}`, abi }];
});
writeFileSync(join(import.meta.dirname, "compiled.json"), `${JSON.stringify(Object.fromEntries(compiled), null, 2)}\n`);
