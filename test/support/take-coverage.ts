// For `npm run coverage`: writes what a worker of Vitest has executed after each file, because workers are ended without a chance to.
import { takeCoverage } from "node:v8";
import { afterAll } from "vitest";

afterAll(() => takeCoverage());
