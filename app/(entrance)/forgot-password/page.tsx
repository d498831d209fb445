// The page that requests a password reset email.
import type { Metadata } from "next";
import { ForgotPassword } from "./forgot-password.tsx";

export const metadata: Metadata = { title: "Forgot password" };

export default function ForgotPasswordPage() {
  return <ForgotPassword />;
}
