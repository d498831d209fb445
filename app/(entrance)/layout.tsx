// The pages before the dashboard: sign in, join, and set a new password.
import type { Metadata } from "next";
import type { ReactNode } from "react";
import { DesignFrame } from "../design/frame.tsx";
import { Card } from "./card.tsx";
import classes from "./entrance.module.css";

export const metadata: Metadata = { robots: { index: false } };

function CardSkeleton() {
  return (
    <Card>
      <p role="status" className="visually-hidden">
        One moment…
      </p>
      <noscript>
        <p>Signing in needs JavaScript.</p>
      </noscript>
      <span className={classes.bone} data-shape="title" />
      <span className={classes.bone} />
      <span className={classes.bone} />
      <span className={classes.bone} data-shape="button" />
    </Card>
  );
}

export default function EntranceLayout({ children }: { children: ReactNode }) {
  return <DesignFrame skeleton={<CardSkeleton />}>{children}</DesignFrame>;
}
