// <DelayInput>: the field of an outgoing delay, in seconds.
"use client";
import { NumberInput } from "@mantine/core";

/** The service takes at most so many. */
const DELAY_MAX_S = 120;

type Props = {
  description: string;
  value: number | string;
  onChange: (value: number | string) => void;
  error: string | undefined;
};

export function DelayInput({ description, value, onChange, error }: Props) {
  return (
    <NumberInput
      label="Outgoing delay, in seconds"
      description={`${description} At most ${DELAY_MAX_S}. 0: it leaves immediately.`}
      min={0}
      max={DELAY_MAX_S}
      allowDecimal={false}
      value={value}
      onChange={onChange}
      error={error}
    />
  );
}
