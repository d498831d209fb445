// The overview: problems first, then recent mail and webhooks, quotas and send caps; for new organizations, the first
// steps.
"use client";
import { useQuery } from "@tanstack/react-query";
import { Waiting } from "./overview/waiting.tsx";
import { later } from "./parts/later.ts";
import { PageHeader } from "./parts/page-header.tsx";
import { Problem } from "./parts/problem.tsx";
import { useMe } from "./session/member.tsx";
import { useTRPC } from "./trpc.ts";

const Everything = later(() => import("./overview/everything.tsx"), Waiting);

const READ_AGAIN_AFTER_MS = 60_000;

export default function OverviewPage() {
  const trpc = useTRPC();
  const { organization } = useMe();
  const { data, error, refetch, isFetching } = useQuery(
    trpc.overview.get.queryOptions(undefined, { refetchInterval: READ_AGAIN_AFTER_MS }),
  );
  return (
    <>
      <PageHeader title="Overview" description={`Usage of ${organization.name} in the last 14 days.`} />
      {!data && error && (
        <Problem error={error} what="The overview could not be loaded" retry={() => void refetch()} busy={isFetching} />
      )}
      {(data || !error) && <Everything overview={data} />}
    </>
  );
}
