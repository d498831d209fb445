// The frame of the dashboard while the session is read: the sidebar with grey bars for its links.
import { Mark } from "../../mark.tsx";
import classes from "./shell.module.css";

const PLACES = ["overview", "inboxes", "webhooks", "keys", "settings"];

export function ShellSkeleton() {
  return (
    <div className={classes.shell} aria-busy="true">
      <div className={classes.sidebar}>
        <span className={classes.brand}>
          <Mark size={26} />
          Mailberth
        </span>
        {PLACES.map((place) => (
          <span key={place} className={classes.bone} data-shape="place" />
        ))}
      </div>
      <div className={classes.top}>
        <span className={classes.bone} data-shape="name" />
        <span className={classes.bone} data-shape="user" />
      </div>
      <main className={classes.main}>
        <p role="status" className="visually-hidden">
          Opening the dashboard…
        </p>
        <noscript>
          <p>The dashboard needs JavaScript.</p>
        </noscript>
        <span className={classes.bone} data-shape="title" />
        <span className={classes.bone} data-shape="line" />
        <span className={classes.bone} data-shape="block" />
      </main>
    </div>
  );
}
