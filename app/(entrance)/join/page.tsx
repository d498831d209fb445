// The page that an invitation link opens: creates an account, or adds the organization to an existing one.
import type { Metadata } from "next";
import { Join } from "./join.tsx";

export const metadata: Metadata = { title: "Join" };

export default function JoinPage() {
  return <Join />;
}
