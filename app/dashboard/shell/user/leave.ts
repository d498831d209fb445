// Signs out.
"use client";
import { signOut } from "../../../session.ts";
import { failed } from "../../parts/toast.tsx";
import { forgetOrganization } from "../../session/chosen-organization.ts";

/** Signs out and opens the sign-in page; shows an error if the session is still active. */
export async function leave(): Promise<void> {
  try {
    await signOut();
  } catch (error) {
    failed(error, "You are still signed in");
    return;
  }
  sessionStorage.clear();
  forgetOrganization();
  location.assign("/sign-in");
}
