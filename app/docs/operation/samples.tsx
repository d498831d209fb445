// <Samples>: a call as code, in the language that the visitor chose for all operations.
"use client";
import { CopyButton } from "../../copy-button.tsx";
import { ScrollingCode } from "../../design/scrolling.tsx";
import classes from "./operation.module.css";
import type { Sample } from "./samples.ts";

type Props = { samples: Sample[]; language: string; onLanguage: (label: string) => void; what: string };

export function Samples({ samples, language, onLanguage, what }: Props) {
  const shown = samples.find(({ label }) => label === language) ?? samples[0];
  if (!shown) return null;
  return (
    <div className={classes.box}>
      <div className={classes.boxHead}>
        <fieldset aria-label="Language" className={classes.languages}>
          {samples.map(({ label }) => (
            <button key={label} type="button" aria-pressed={label === shown.label} onClick={() => onLanguage(label)}>
              {label}
            </button>
          ))}
        </fieldset>
        <CopyButton text={shown.code} what={`the call ${what}`} />
      </div>
      <ScrollingCode text={shown.code} />
    </div>
  );
}
