// <SecretOnce>: shows a secret once, in a dialog that only "I have stored it" closes. The focus is on Copy: a second Enter loses nothing.
// secret, title ("The key is issued"), what ("the agent key"), onStored, children (how to use it, optional)
"use client";
import { Alert, Button, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { IconAlertTriangle } from "../../design/shell-icons.tsx";
import { Copy } from "./copy.tsx";
import { Dialog, DialogActions } from "./dialog.tsx";
import classes from "./secret-once.module.css";

type Props = {
  secret: string;
  title: string;
  what: string;
  onStored: () => void;
  children?: ReactNode;
};

export default function SecretOnce({ secret, title, what, onStored, children }: Props) {
  return (
    <Dialog
      onClose={onStored}
      title={title}
      size="lg"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack>
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
          Store {what} now, where only your program can read it. It is shown only once. The service cannot show it
          again.
        </Alert>
        <div className={classes.secret}>
          <code className={classes.text}>{secret}</code>
          <Copy text={secret} what={what} isFirst />
        </div>
        {children && <Text component="div">{children}</Text>}
        <DialogActions>
          <Button onClick={onStored}>I have stored it</Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
