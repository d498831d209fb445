// The card in the middle of every page before the dashboard. Plain HTML, so that it can be prerendered.
import type { ReactNode } from "react";
import { Mark } from "../mark.tsx";
import classes from "./entrance.module.css";

export function Card({ children, below }: { children: ReactNode; below?: ReactNode }) {
  return (
    <div className={classes.page}>
      <header>
        <a href="/" className={classes.brand} data-thumb aria-label="Mailberth, front page">
          <Mark size={30} />
          Mailberth
        </a>
      </header>
      <main className={classes.card}>{children}</main>
      {below && <footer className={classes.below}>{below}</footer>}
    </div>
  );
}
