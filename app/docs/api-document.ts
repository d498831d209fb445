// Fetches the OpenAPI document for the reference.
import { DOCUMENT_PATH } from "../service-document.ts";
import { buildReference, type Reference } from "./document/build-reference.ts";
import type { JsonObject } from "./document/json.ts";

/** @throws Error with the service's answer, or that there was none */
export async function fetchReference(signal: AbortSignal): Promise<Reference> {
  const response = await fetch(DOCUMENT_PATH, { signal, headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`${DOCUMENT_PATH} answered ${response.status}`);
  return buildReference((await response.json()) as JsonObject);
}
