// <NoMatch>: what a filtered list shows in place of its rows.
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { IconFilterOff } from "../../design/icons.tsx";
import { EmptyState } from "./empty-state.tsx";

/** `of`: what the list has, in the plural. `children`: why it may have none. */
type Props = { of: string; onClear: () => void; children: ReactNode };

export function NoMatch({ of, onClear, children }: Props) {
  return (
    <EmptyState
      icon={IconFilterOff}
      title={`No matching ${of}`}
      action={
        <Button variant="default" onClick={onClear}>
          Show all {of}
        </Button>
      }
    >
      {children}
    </EmptyState>
  );
}
