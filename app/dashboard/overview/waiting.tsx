// The overview while it is read: the shape of what comes. Plain HTML with a separate stylesheet: it is in
// the first script.
import shared from "../../design/shared.module.css";
import classes from "./waiting.module.css";

export function Waiting() {
  return (
    <div role="status" className={classes.waiting} aria-busy="true">
      <span className="visually-hidden">Loading the overview…</span>
      <div className={`${shared.bone} ${classes.line}`} />
      <div className={classes.pair}>
        <div className={`${shared.bone} ${classes.chart}`} />
        <div className={`${shared.bone} ${classes.chart}`} />
      </div>
      <div className={classes.pair}>
        <div className={`${shared.bone} ${classes.list}`} />
        <div className={`${shared.bone} ${classes.list}`} />
      </div>
    </div>
  );
}
