// The dialog to disconnect an app.
"use client";
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Problem } from "../../parts/problem.tsx";
import { succeeded } from "../../parts/toast.tsx";
import { type Outputs, useTRPC } from "../../trpc.ts";

type App = Outputs["apps"]["list"]["data"][number];

export default function Disconnect({ app: { id, name, person }, onClose }: { app: App; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const revoke = useMutation(
    trpc.apps.revoke.mutationOptions({
      onSuccess: () => {
        succeeded(`${name} is disconnected`);
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.apps.pathFilter()),
    }),
  );
  return (
    <Modal opened onClose={onClose} title={`Disconnect ${name}?`}>
      <Stack>
        <Text>
          It can no longer act for {person.name}, and calls that are running end. Inboxes that it created stay. To
          connect it again, start in the app.
        </Text>
        {revoke.error && <Problem error={revoke.error} what="The app was not disconnected" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" onClick={() => revoke.mutate({ id })} loading={revoke.isPending}>
            Disconnect
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
