// The logo: an envelope afloat.
import classes from "./mark.module.css";

export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <path className={classes.paper} d="M5 6.5h22v14H5z" />
      <path className={classes.flap} d="M5 6.5 16 15l11-8.5" />
      <path
        className={classes.wave}
        d="M3 26c2.2 0 2.2-2 4.3-2s2.2 2 4.4 2 2.2-2 4.3-2 2.2 2 4.3 2 2.2-2 4.4-2 2.2 2 4.3 2"
      />
    </svg>
  );
}
