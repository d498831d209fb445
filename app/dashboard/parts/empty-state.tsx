// <EmptyState>: shown for an empty list, with what to do.
// icon (of app/design/icons.tsx: icon={IconWebhook}), title, children (what to do, a sentence or two), action (a button,
// optional), code (a <CodeBlock>, optional). The title is a heading of the page's second level; order={3} below a
// section's heading.
"use client";
import { Text, ThemeIcon, Title } from "@mantine/core";
import type { ReactNode } from "react";
import type { Icon } from "../../design/draw-icon.tsx";
import classes from "./empty-state.module.css";

type Props = {
  icon: Icon;
  title: string;
  children: ReactNode;
  action?: ReactNode;
  code?: ReactNode;
  order?: 2 | 3;
};

export function EmptyState({ icon: Shape, title, children, action, code, order = 2 }: Props) {
  return (
    <section className={classes.empty} aria-label={title}>
      <ThemeIcon size={52} radius="xl" variant="light" aria-hidden>
        <Shape size={26} stroke={1.6} />
      </ThemeIcon>
      <Title order={order} size="h2" mt="md">
        {title}
      </Title>
      <Text c="dimmed" mt={6} className={classes.text} component="div">
        {children}
      </Text>
      {action && <div className={classes.action}>{action}</div>}
      {code && <div className={classes.code}>{code}</div>}
    </section>
  );
}
