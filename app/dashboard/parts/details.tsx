// <Details label="The key"> with <Detail name="Status">s: names and values side by side, in a frame.
// isWide: for long values, such as ids. isLive: changes are read aloud. above: what stands first in the frame. <Detail isWhole>
// takes a whole line. copy: what its button copies ("the key's id"), for a text.
"use client";
import type { ReactNode } from "react";
import shared from "../../design/shared.module.css";
import { Copy } from "./copy.tsx";
import classes from "./details.module.css";

type Props = { label: string; isWide?: boolean; isLive?: boolean; above?: ReactNode; children: ReactNode };

export function Details({ label, isWide, isLive, above, children }: Props) {
  return (
    <section className={shared.panel} aria-label={label}>
      {above}
      <dl className={classes.details} data-wide={isWide} aria-live={isLive ? "polite" : undefined}>
        {children}
      </dl>
    </section>
  );
}

type DetailProps = { name: string; isWhole?: boolean } & ({ id: string; copy: string } | { children: ReactNode });

export function Detail({ name, isWhole, ...value }: DetailProps) {
  return (
    <div data-whole={isWhole}>
      <dt>{name}</dt>
      <dd>
        {"id" in value ? (
          <span className={classes.copied}>
            <span className={classes.id}>{value.id}</span> <Copy text={value.id} what={value.copy} />
          </span>
        ) : (
          value.children
        )}
      </dd>
    </div>
  );
}
