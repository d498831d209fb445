// Asks before an invitation is sent again, because the earlier link stops working.
"use client";
import { Text } from "@mantine/core";
import { FormDialog } from "../../parts/form-dialog.tsx";

type Props = Pick<Parameters<typeof FormDialog>[0], "acting" | "onAct" | "onClose"> & { email: string };

export default function AskAgain({ email, acting, onAct, onClose }: Props) {
  return (
    <FormDialog
      title="Send the invitation again?"
      what="The invitation was not sent again"
      acting={acting}
      action="Send again"
      onAct={onAct}
      onClose={onClose}
    >
      <Text>
        {email} gets a new link, which works for seven days. The link that was sent or handed over before stops working.
      </Text>
    </FormDialog>
  );
}
