// The frame of every dashboard page: Mantine, the signed-in member, and the shell.
import type { Metadata } from "next";
import type { ReactNode } from "react";
import { DesignFrame } from "../design/frame.tsx";
import { Shell } from "./shell/shell.tsx";
import { ShellSkeleton } from "./shell/shell-skeleton.tsx";

export const metadata: Metadata = {
  title: { default: "Dashboard", template: "%s · Mailberth" },
  robots: { index: false },
};

export default function DashboardLayout({ children }: { children: ReactNode }) {
  return (
    <DesignFrame skeleton={<ShellSkeleton />}>
      <Shell>{children}</Shell>
    </DesignFrame>
  );
}
