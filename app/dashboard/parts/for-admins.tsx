// <ForAdmins>: says who may change the settings below it, to a member who may not.
"use client";
import { Text } from "@mantine/core";

export function ForAdmins() {
  return (
    <Text size="sm" c="dimmed">
      Only admins and owners can change this. They are listed under Team.
    </Text>
  );
}
