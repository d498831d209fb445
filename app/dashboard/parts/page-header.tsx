// <PageHeader>: the header of every page. It also sets the document's title.
// title, description (one sentence, optional), actions (buttons on the right, optional), back ({ href, label },
// optional)
// Plain HTML: it is in the first script of every page, which stays small without the components of Mantine.
"use client";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";
import { NearLink } from "../../design/near-link.tsx";
import { IconArrowLeft } from "../../design/shell-icons.tsx";
import { BrokenUrl } from "./broken-url.tsx";
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
          <NearLink href={back.href} className={classes.back} data-thumb>
            <IconArrowLeft size={15} aria-hidden />
            <span>
              <BrokenUrl text={back.label} />
            </span>
          </NearLink>
        )}
        <h1>
          <BrokenUrl text={title} />
        </h1>
        {description && <div className={classes.description}>{description}</div>}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </header>
  );
}
