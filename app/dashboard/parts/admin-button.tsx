// <AdminButton>: a button for admins and owners. A member sees it too, disabled, and is told why on hover and focus.
//   what ("register webhooks": for "Only admins and owners can register webhooks"), onClick, and what Mantine's Button takes
"use client";
import { Button, type ButtonProps, Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import { useMayAct } from "../session/member.tsx";

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
      {/* Not `disabled`: then nobody could reach it, and learn why. */}
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
