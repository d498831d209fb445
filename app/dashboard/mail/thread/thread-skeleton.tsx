// Shown while a thread loads.
"use client";
import { Skeleton } from "@mantine/core";

export function ThreadSkeleton() {
  return (
    <div role="status" aria-label="Loading the thread">
      <Skeleton height={26} width="60%" mb="lg" />
      <Skeleton height={90} mb="md" />
      <Skeleton height={260} />
    </div>
  );
}
