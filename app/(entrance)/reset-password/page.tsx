// The page that a reset link opens: sets a new password.
import type { Metadata } from "next";
import { Suspense } from "react";
import { ResetPassword } from "./reset-password.tsx";

export const metadata: Metadata = { title: "Set a new password" };

export default function ResetPasswordPage() {
  return (
    <Suspense>
      <ResetPassword />
    </Suspense>
  );
}
