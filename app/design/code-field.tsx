// The field for a code of the second factor, and the texts for what can be wrong with it.
"use client";
import { TextInput } from "@mantine/core";
import { isSessionError } from "../session-error.ts";

/** As the service accepts it. */
const CODE_MAX_CHARS = 40;

const ALL = "Of your authenticator app, or one of your recovery codes.";

/** By error code. */
export const CODE_WORDS = {
  wrong_code: "The code is wrong, or was used already. Wait for the next one, or use a recovery code.",
};

/** Whether the password was right, and the account has a second factor. */
export function isAsked(error: unknown): boolean {
  return isSessionError(error) && error.code === "second_factor_required";
}

type Props = { value: string; onChange: (value: string) => void; description?: string };

export function CodeField({ value, onChange, description = ALL }: Props) {
  return (
    <TextInput
      label="Code"
      description={description}
      required
      maxLength={CODE_MAX_CHARS}
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      autoFocus
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data-autofocus
    />
  );
}
