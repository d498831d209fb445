// One React Query client for the pages of a visit.
"use client";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

const RETRIES = 2;
const RETRY_DELAY_MS = 800;

export function Providers({ children }: { children: ReactNode }) {
  const [client] = useState(
    () => new QueryClient({ defaultOptions: { queries: { retry: RETRIES, retryDelay: RETRY_DELAY_MS } } }),
  );
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
