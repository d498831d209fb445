// Shown to a signed-in person without an organization, or without access to the one in this tab.
"use client";
import { Button, Group, Text, Title } from "@mantine/core";
import classes from "../shell/shell.module.css";
import { leave } from "../shell/user/leave.ts";
import { chooseOrganization, useChosenOrganization } from "./chosen-organization.ts";

export default function NotAMember({ message }: { message: string }) {
  const chosen = useChosenOrganization();
  return (
    <main className={classes.alone}>
      <Title order={1}>You are not a member of this organization</Title>
      <Text mt="sm">{message}</Text>
      <Text mt="xs" c="dimmed">
        {chosen === null
          ? "Ask an owner or admin of your organization to invite you."
          : "You may have been removed. Your other organizations are not affected."}
      </Text>
      <Group mt="xl">
        {chosen !== null && <Button onClick={() => chooseOrganization(null)}>Open your own organization</Button>}
        <Button variant="default" onClick={leave}>
          Sign out
        </Button>
      </Group>
    </main>
  );
}
