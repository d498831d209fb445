// Joins each dry run to the operation that it checks: the same path and body, with the query `dry_run=true`.
import { withoutDryRun } from "../../procedures/meta.ts";
import { type Document, isRef, type Parameter } from "./parts.ts";

const DRY_RUN: Parameter = {
  name: "dry_run",
  in: "query",
  description:
    "`true` checks the message, answers 200 with all reasons that would refuse it, and stores, sends and counts nothing.",
  example: false,
  schema: { type: "boolean", default: false },
};

export function joinDryRuns({ paths }: Document): void {
  for (const [path, methods] of Object.entries(paths)) {
    const checked = withoutDryRun(path);
    if (checked === undefined) continue;
    const [operation, check] = [paths[checked]?.post, methods.post];
    const answer = check?.responses["200"];
    if (!operation || !answer || isRef(answer)) throw new Error(`${path} checks no operation`);
    operation.parameters = [...(operation.parameters ?? []), structuredClone(DRY_RUN)];
    operation.responses = { 200: answer, ...operation.responses };
    delete paths[path];
  }
}
