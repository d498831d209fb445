// Signs out.
"use client";
import { signOut } from "../../../session.ts";
import { failed } from "../../parts/toast.tsx";
import { KEY } from "../../session/chosen-organization.ts";

/** Signs out and opens the sign-in page; shows an error if the session is still active. */
export async function leave(): Promise<void> {
  try {
    await signOut();
  } catch (error) {
    failed(error, "You are still signed in");
    return;
  }
  sessionStorage.clear();
  // The next person begins with their own.
  localStorage.removeItem(KEY);
  location.assign("/sign-in");
}
