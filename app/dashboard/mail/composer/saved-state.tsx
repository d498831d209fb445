// Whether the draft is saved on the service, and what to do when another person changed it.
"use client";
import { Alert, Button, Group, Text } from "@mantine/core";
import { IconAlertTriangle } from "../../../design/shell-icons.tsx";
import { describeFailure } from "../../parts/failure.ts";
import classes from "./composer.module.css";
import type { useSaving } from "./saving.ts";

/** What is wrong with a field is said at the field. */
function notSaved(error: unknown): string {
  const { message, issues } = describeFailure(error);
  return Object.keys(issues).length > 0
    ? "Draft not saved: correct what is marked above."
    : `Draft not saved: ${message}`;
}

type Props = { saving: ReturnType<typeof useSaving>; onTheirs: () => void; onMine: () => void };

const WORDS = { idle: "", saving: "Saving the draft…", saved: "Draft saved", failed: "" };

export function SavedState({ saving: { state, isChangedElsewhere }, onTheirs, onMine }: Props) {
  if (isChangedElsewhere) {
    return (
      <Alert
        color="yellow"
        role="alert"
        icon={<IconAlertTriangle aria-hidden />}
        title="The draft was changed by another person or in another tab"
      >
        <Text size="sm" mb="xs">
          Your text is not saved. Replace their version with yours, or open theirs, which discards your changes.
        </Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onMine}>
            Replace with mine
          </Button>
          <Button size="xs" variant="default" onClick={onTheirs}>
            Open theirs
          </Button>
        </Group>
      </Alert>
    );
  }
  const words = state.kind === "failed" ? notSaved(state.error) : WORDS[state.kind];
  return (
    <span className={classes.saved} role="status">
      {words}
    </span>
  );
}
