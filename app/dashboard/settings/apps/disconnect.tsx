// The dialog to disconnect an app.
"use client";
import { Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FormDialog } from "../../parts/form-dialog.tsx";
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
    <FormDialog
      title={`Disconnect ${name}?`}
      what="The app was not disconnected"
      acting={revoke}
      action="Disconnect"
      color="red"
      onAct={() => revoke.mutate({ id })}
      onClose={onClose}
    >
      <Text>
        It can no longer act for {person.name}, and calls that are running end. Inboxes that it created stay. To connect
        it again, start in the app.
      </Text>
    </FormDialog>
  );
}
