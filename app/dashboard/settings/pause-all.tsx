// The red button that pauses all sending of the organization, and that it is paused.
"use client";
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { IconPlayerPause } from "../../design/icons.tsx";
import PauseDialog from "../parts/pause-dialog.tsx";
import { AdminButton } from "../session/admin-button.tsx";
import { useTRPC, useTRPCClient } from "../trpc.ts";

export default function PauseAll() {
  const client = useTRPCClient();
  const pauses = useQuery(useTRPC().organization.pauses.queryOptions());
  const [isAsked, setAsked] = useState(false);
  if (pauses.data?.data.some(({ scope }) => scope === "organization")) {
    return <Text size="sm">All sending is paused. The top of each page says what waits, and resumes it.</Text>;
  }
  return (
    <>
      <Text size="sm" mb="sm">
        Stops all mail of your agents and of your team within a second. To stop one inbox or one key, use its actions
        under Inboxes or Keys.
      </Text>
      <AdminButton
        what="pause all sending"
        color="red"
        leftSection={<IconPlayerPause size={16} aria-hidden />}
        onClick={() => setAsked(true)}
      >
        Pause all sending
      </AdminButton>
      {isAsked && (
        <PauseDialog
          what="all sending"
          onPause={(reason) => client.organization.pauseSending.mutate({ reason })}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
