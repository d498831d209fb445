// Loads a part of the page that is a file of its own: when the connection is lost, it waits and tries again.
"use client";
import { reach } from "../session/reach.ts";

const UNLOADED = /loading( css)? chunk|failed to load chunk|dynamically imported module/i;

/** Whether a file of the page could not be loaded. */
export function isUnloaded(error: unknown): boolean {
  return error instanceof Error && (error.name === "ChunkLoadError" || UNLOADED.test(error.message));
}

/** `load`, repeated once when the service can be reached again; a second failure is an error. */
export async function patient<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    if (!isUnloaded(error)) throw error;
    await reach.lost();
    return load();
  }
}
