// The input for a new password, with a hint about its strength.
"use client";
import { PasswordInput, Progress, Text } from "@mantine/core";
import { useId } from "react";
import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from "../session.ts";

const GOOD_CHARS = 16;
const STRONG_CHARS = 20;
const FEW_DIFFERENT_CHARS = 6;
const HINT = `At least ${PASSWORD_MIN_CHARS} characters. A few random words are easier to remember than a short complex password.`;

type Strength = { color: string; percent: number; words: string };

/** The strength depends on length, and must be true for "aaaaaaaaaaaa" too. */
function strengthOf(password: string): Strength {
  const missing = PASSWORD_MIN_CHARS - password.length;
  if (missing > 0) {
    const percent = (password.length / PASSWORD_MIN_CHARS) * 30;
    return { color: "red", percent, words: `${missing} more ${missing === 1 ? "character" : "characters"}` };
  }
  if (new Set(password).size < FEW_DIFFERENT_CHARS) {
    return { color: "yellow", percent: 40, words: "Weak: too repetitive" };
  }
  if (password.length < GOOD_CHARS) return { color: "yellow", percent: 60, words: "Fair: longer is better" };
  if (password.length < STRONG_CHARS) return { color: "green", percent: 80, words: "Good" };
  return { color: "green", percent: 100, words: "Strong" };
}

export function isLongEnough(password: string): boolean {
  return password.length >= PASSWORD_MIN_CHARS && password.length <= PASSWORD_MAX_CHARS;
}

type Props = { label: string; value: string; onChange: (value: string) => void; error?: string | undefined };

export function NewPassword({ label, value, onChange, error }: Props) {
  const hintId = useId();
  const { color, percent, words } = strengthOf(value);
  return (
    <div>
      <PasswordInput
        label={label}
        required
        minLength={PASSWORD_MIN_CHARS}
        maxLength={PASSWORD_MAX_CHARS}
        autoComplete="new-password"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
        aria-describedby={hintId}
      />
      <Progress value={percent} color={color} size={4} mt={8} aria-hidden />
      <Text id={hintId} size="xs" c="dimmed" mt={6} aria-live="polite">
        {value === "" ? HINT : words}
      </Text>
    </div>
  );
}
