// <Facts> with <Fact>s: a list of labels and values.
// label, children (or text), copy (what the copy button copies: "the address")
"use client";
import type { ReactNode } from "react";
import shared from "../../design/shared.module.css";
import { BrokenUrl } from "../parts/broken-url.tsx";
import { Copy } from "../parts/copy.tsx";
import classes from "./settings.module.css";

export function Facts({ children }: { children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}

type Props = { label: string; hint?: ReactNode } & ({ text: string; copy: string } | { children: ReactNode });

export function Fact({ label, hint, ...value }: Props) {
  return (
    <div className={classes.fact}>
      <dt>{label}</dt>
      <dd>
        {"text" in value ? (
          <span className={classes.value}>
            <span className={classes.code}>
              <BrokenUrl text={value.text} />
            </span>
            <Copy text={value.text} what={value.copy} />
          </span>
        ) : (
          value.children
        )}
        {hint && <span className={shared.hint}>{hint}</span>}
      </dd>
    </div>
  );
}
