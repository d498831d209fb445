// <LostInDashboard>: at an unknown address below /dashboard, the dashboard with a page that says so; elsewhere its children.
"use client";
import { type ComponentType, type ReactNode, useEffect, useState } from "react";

export function LostInDashboard({ children }: { children: ReactNode }) {
  const [Lost, setLost] = useState<ComponentType>();
  // The built page is the same for all addresses, and every page loads this file.
  useEffect(() => {
    if (!location.pathname.startsWith("/dashboard/")) return;
    import("./dashboard/lost.tsx").then(
      ({ default: found }) => setLost(() => found),
      // The page of the site also says that there is nothing at the address.
      () => undefined,
    );
  }, []);
  return Lost ? <Lost /> : children;
}
