// The dialog that empties the trash, after it said how many messages are erased.
"use client";
import { Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { FormDialog } from "../parts/form-dialog.tsx";
import { succeeded } from "../parts/toast.tsx";
import { useTRPC } from "../trpc.ts";
import { useRefresh } from "./trash-table.tsx";

export default function EmptyTrash({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  // What is deleted while the dialog is open stays.
  const { data: size, error } = useQuery(
    trpc.trash.size.queryOptions(undefined, { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 }),
  );
  const empty = useMutation(
    trpc.trash.empty.mutationOptions({
      onSuccess({ erased, more }) {
        const words = `${messages(erased)} erased`;
        succeeded(more ? `${words}. Empty the trash again to erase the rest` : words);
        onClose();
      },
      onSettled: useRefresh(),
    }),
  );
  const until = size?.deleted_until;
  return (
    <FormDialog
      title="Empty the trash?"
      what="The trash was not emptied"
      acting={{ error: empty.error ?? error, isPending: empty.isPending }}
      action="Delete forever"
      color="red"
      cancel="Keep them"
      disabled={!until}
      onAct={() => until && empty.mutate({ deleted_until: until })}
      onClose={onClose}
    >
      <Text>
        {size
          ? `${messages(size.count)} in all inboxes will be erased with their attachments. This cannot be undone.`
          : "Counting the deleted messages…"}
      </Text>
    </FormDialog>
  );
}

function messages(count: number): string {
  return count === 1 ? "1 message" : `${count.toLocaleString("en")} messages`;
}
