// The dialog of secret-once.tsx, loaded when it is first opened.
"use client";
import { Alert, Button, Modal, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { IconAlertTriangle } from "../../design/shell-icons.tsx";
import { Copy } from "./copy.tsx";
import classes from "./secret-once.module.css";

export type SecretOnceProps = {
  secret: string | null;
  title: string;
  what: string;
  onStored: () => void;
  children?: ReactNode;
};

export default function SecretOnceDialog({ secret, title, what, onStored, children }: SecretOnceProps) {
  return (
    <Modal
      opened={secret !== null}
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
          <Copy text={secret ?? ""} what={what} />
        </div>
        {children && <Text component="div">{children}</Text>}
        <Button onClick={onStored} className={classes.stored}>
          I have stored it
        </Button>
      </Stack>
    </Modal>
  );
}
