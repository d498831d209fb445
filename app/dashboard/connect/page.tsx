// Asks the member whether an app may act in the organization, with which scopes and quota.
"use client";
import { Alert, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { IconAlertTriangle } from "../../design/shell-icons.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { Problem } from "../parts/problem.tsx";
import { TableSkeleton } from "../parts/table-skeleton.tsx";
import { useTRPC } from "../trpc.ts";
import { ApproveForm } from "./approve-form.tsx";

const KEYS = 100;

export default function ConnectPage() {
  const query = useSearchParams();
  const clientId = query.get("client_id");
  if (!clientId || query.has("error")) return <Refused why={query.get("error_description")} />;
  return <Request clientId={clientId} request={query} />;
}

/** The request cannot be shown, and the browser must not return to an address that is not the app's. */
function Refused({ why }: { why: string | null }) {
  return (
    <>
      <PageHeader title="Connect an app" />
      <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />} title="The request is not valid">
        <Text size="sm">{why ? `The service refused it: ${why}.` : "It does not name an app."}</Text>
        <Text size="sm">Start the connection again in the app.</Text>
      </Alert>
    </>
  );
}

function Request({ clientId, request }: { clientId: string; request: URLSearchParams }) {
  const trpc = useTRPC();
  const client = useQuery(trpc.apps.client.queryOptions({ client_id: clientId }));
  const keys = useQuery(trpc.keys.list.queryOptions({ limit: KEYS }));
  const error = client.error ?? keys.error;
  const retry = () => void Promise.all([client.refetch(), keys.refetch()]);
  return (
    <>
      <PageHeader
        title={client.data ? `Connect ${client.data.name}?` : "Connect an app"}
        description="The app chose its name itself. Continue only if you started this in the app just now."
      />
      {error && <Problem error={error} what="The request could not be loaded" retry={retry} busy={client.isFetching} />}
      {!error && !(client.data && keys.data) && <TableSkeleton label="Loading the request" columns={1} rows={4} />}
      {client.data && keys.data && (
        <ApproveForm
          clientId={clientId}
          request={request}
          client={client.data}
          keys={keys.data.data.filter(({ status }) => status === "active" || status === "exhausted")}
        />
      )}
    </>
  );
}
