// The overview while it is read: the shape of what comes. Plain HTML with a separate stylesheet: it is in
// the first script.
import shell from "../shell/shell.module.css";
import classes from "./waiting.module.css";

export function Waiting() {
  return (
    <div role="status" className={classes.waiting} aria-busy="true">
      <span className={shell.hidden}>Loading the overview…</span>
      <div className={`${shell.bone} ${classes.line}`} />
      <div className={classes.pair}>
        <div className={`${shell.bone} ${classes.chart}`} />
        <div className={`${shell.bone} ${classes.chart}`} />
      </div>
      <div className={classes.pair}>
        <div className={`${shell.bone} ${classes.list}`} />
        <div className={`${shell.bone} ${classes.list}`} />
      </div>
    </div>
  );
}
