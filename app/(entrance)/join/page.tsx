// The page behind the link of an invitation: makes the account, or adds the organization to the one there is.
import type { Metadata } from "next";
import { Join } from "./join.tsx";

export const metadata: Metadata = { title: "Join" };

export default function JoinPage() {
  return <Join />;
}
