// <X> of `const X = later(() => import("./x.tsx"), XSkeleton)`: the default export of a file that is loaded when it is first
// shown, and what stands in its place until then (nothing if left out). When the connection is lost, it waits and tries again.
"use client";
import dynamic from "next/dynamic";
import type { ComponentType, ReactNode } from "react";
import { reach } from "../reach.ts";

const UNLOADED = /loading( css)? chunk|failed to load chunk|dynamically imported module/i;

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

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

export function later<Props>(load: Load<Props>, loading: () => ReactNode = () => null): ComponentType<Props> {
  return dynamic(() => patient(load), { ssr: false, loading });
}
