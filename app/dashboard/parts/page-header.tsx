// <PageHeader>: the header of every page. It also sets the document's title.
// title, description (one sentence, optional), actions (buttons on the right, optional), back ({ href, label },
// optional)
"use client";
import { Anchor, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import Link from "next/link";
import type { ReactNode } from "react";
import { IconArrowLeft } from "../../design/icons.tsx";
import classes from "./page-header.module.css";

type Props = {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  back?: { href: string; label: string };
};

export function PageHeader({ title, description, actions, back }: Props) {
  useDocumentTitle(`${title} · Mailberth`);
  return (
    <header className={classes.header}>
      <div className={classes.words}>
        {back && (
          <Anchor component={Link} href={back.href} size="sm" className={classes.back}>
            <IconArrowLeft size={15} aria-hidden />
            {back.label}
          </Anchor>
        )}
        <Title order={1}>{title}</Title>
        {description && (
          <Text c="dimmed" mt={4}>
            {description}
          </Text>
        )}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </header>
  );
}
