// The page where a letter with a link to a new password is asked for.
import type { Metadata } from "next";
import { ForgotPassword } from "./forgot-password.tsx";

export const metadata: Metadata = { title: "Forgot password" };

export default function ForgotPasswordPage() {
  return <ForgotPassword />;
}
