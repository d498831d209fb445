// <LostInDashboard>: at an unknown address below /dashboard, the dashboard with a page that says so; elsewhere its children.
"use client";
import dynamic from "next/dynamic";
import { type ReactNode, useSyncExternalStore } from "react";

const DashboardLost = dynamic(() => import("./dashboard/lost.tsx"), { ssr: false });

const neverChanges = () => () => {};

export function LostInDashboard({ children }: { children: ReactNode }) {
  // The built page is the same for all addresses.
  const isInside = useSyncExternalStore(
    neverChanges,
    () => location.pathname.startsWith("/dashboard/"),
    () => false,
  );
  return isInside ? <DashboardLost /> : children;
}
