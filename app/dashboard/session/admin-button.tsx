// <AdminButton>: a button for admins and owners. Members see it disabled, with the reason on hover and focus.
// what ("register webhooks": for "Only admins and owners can register webhooks"), onClick, and the props of Mantine's
// Button
"use client";
import { Button, type ButtonProps, Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import { useMayAct } from "./member.tsx";

type Props = ButtonProps & { what: string; onClick: () => void; children: ReactNode };

export function AdminButton({ what, onClick, children, ...button }: Props) {
  const mayAct = useMayAct("admin");
  if (mayAct) {
    return (
      <Button {...button} onClick={onClick}>
        {children}
      </Button>
    );
  }
  const why = `Only admins and owners can ${what}. Ask one of them.`;
  return (
    <Tooltip label={why} multiline maw={280}>
      {/* Not `disabled`, so that the keyboard can reach the reason. */}
      <Button
        {...button}
        data-disabled
        aria-disabled
        aria-description={why}
        onClick={(event) => event.preventDefault()}
      >
        {children}
      </Button>
    </Tooltip>
  );
}
