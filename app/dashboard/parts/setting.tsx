// <Settings> with <Setting title="DKIM key" action={<AdminButton … />}>s: what can be changed, each with its button.
"use client";
import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import shared from "../../design/shared.module.css";
import classes from "./setting.module.css";

export function Settings({ children }: { children: ReactNode }) {
  return <div className={shared.framed}>{children}</div>;
}

export function Setting({ title, action, children }: { title: string; action: ReactNode; children: ReactNode }) {
  return (
    <section className={classes.setting} aria-label={title}>
      <div>
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text size="sm" c="dimmed" component="div" mt={2}>
          {children}
        </Text>
      </div>
      {action}
    </section>
  );
}
