// <WhoGetsNotices>: says when no member gets notices, with a link to choose where, and when no mail leaves this service.
"use client";
import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { NearLink } from "../../design/near-link.tsx";
import { useTRPC } from "../trpc.ts";
import classes from "./overview.module.css";

export function WhoGetsNotices() {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.notices.list.queryOptions());
  if (!data) return null;
  const { sends_mail, reached_topics } = data;
  const isReached = reached_topics.includes("approval") && reached_topics.includes("webhook_disabled");
  if (sends_mail && isReached) return null;
  return (
    <div className={classes.noNotices} role="note">
      {!sends_mail && (
        <Text size="sm">
          No mail leaves this service (OUTBOUND=local): mail to other services is captured, and notices reach only chats
          and browsers.
        </Text>
      )}
      {!isReached && (
        <Text size="sm">
          No one gets a notice when a message waits for approval or a webhook is disabled.{" "}
          <Anchor component={NearLink} href="/dashboard/settings/notices" size="sm" underline="always">
            {sends_mail ? "Choose where to get notices" : "Add a chat"}
          </Anchor>
        </Text>
      )}
    </div>
  );
}
