// The time of sending: now, or a time that the writer chooses.
"use client";
import { Button, Popover, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { IconClock } from "../../../design/icons.tsx";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const MORNING_HOUR = 9;
const TIME_CHARS = "2026-11-23T09:00".length;
/** Of the service. */
export const DAYS_MAX = 30;

/** As an input for times takes it, in the time zone of the viewer. */
export function localTime(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, TIME_CHARS);
}

function tomorrowMorning(): Date {
  const at = new Date();
  at.setDate(at.getDate() + 1);
  at.setHours(MORNING_HOUR, 0, 0, 0);
  return at;
}

type Props = {
  /** The time that was chosen before, in ISO 8601. */
  chosen: string | undefined;
  onChoose: (at: string) => void;
};

export function SendLater({ chosen, onChoose }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTime] = useState<string>();
  const time = typed ?? (chosen ? localTime(new Date(chosen)) : "");
  function choose(at: Date) {
    setOpen(false);
    setTime(undefined);
    onChoose(at.toISOString());
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} width={260} shadow="md" trapFocus>
      <Popover.Target>
        <Button
          variant="subtle"
          color="gray"
          leftSection={<IconClock size={16} aria-hidden />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {chosen ? "Change time" : "Send later"}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <Button variant="default" onClick={() => choose(new Date(Date.now() + HOUR_MS))}>
            In an hour
          </Button>
          <Button variant="default" onClick={() => choose(tomorrowMorning())}>
            Tomorrow at 9:00
          </Button>
          <TextInput
            type="datetime-local"
            label="At another time"
            description={`At most ${DAYS_MAX} days ahead`}
            min={localTime(new Date())}
            value={time}
            onChange={(event) => setTime(event.currentTarget.value)}
          />
          <Button disabled={time === ""} onClick={() => choose(new Date(time))}>
            Use this time
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
