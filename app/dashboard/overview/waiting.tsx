// The overview while it is read: the shape of what comes. Plain HTML with a separate stylesheet: it is in
// the first script.
import classes from "./waiting.module.css";

export function Waiting() {
  return (
    <div role="status" className={classes.waiting} aria-busy="true">
      <span className={classes.hidden}>Loading the overview…</span>
      <div className={classes.bone} data-shape="line" />
      <div className={classes.pair}>
        <div className={classes.bone} data-shape="chart" />
        <div className={classes.bone} data-shape="chart" />
      </div>
      <div className={classes.pair}>
        <div className={classes.bone} data-shape="list" />
        <div className={classes.bone} data-shape="list" />
      </div>
    </div>
  );
}
