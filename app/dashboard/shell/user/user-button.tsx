// The button of the member's menu: their initials and name.
"use client";
import { UnstyledButton, type UnstyledButtonProps } from "@mantine/core";
import type { ComponentProps } from "react";
import { IconChevronDown } from "../../../design/icons.tsx";
import { useMe } from "../../session/member.tsx";
import classes from "../shell.module.css";

function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return ends.map((word) => [...(word ?? "")][0]?.toUpperCase() ?? "").join("");
}

export function UserButton(props: UnstyledButtonProps & ComponentProps<"button">) {
  const { user } = useMe();
  return (
    <UnstyledButton {...props} aria-label={`Your menu: ${user.name}`}>
      <span className={classes.initials} data-initials={initials(user.name)} />
      <span className={classes.userName}>{user.name}</span>
      <IconChevronDown size={15} aria-hidden />
    </UnstyledButton>
  );
}
