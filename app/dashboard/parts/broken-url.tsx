// <BrokenUrl>: a URL or an address that breaks after `/`, `.`, `@`, `?` and `&`, and not inside a word or a number if possible.
// <BrokenUrls>: a sentence with them. They begin on a new line before they break.
import { Fragment } from "react";
import { partsOf } from "../../design/text-parts.ts";
import classes from "./broken-url.module.css";

const AFTER = /(?<=[/@?&=]|[.-](?!\d))(?![/.@?&=-])/;
const BETWEEN_WORDS = /(?<=\s)/;

export function BrokenUrl({ text }: { text: string }) {
  return partsOf(text, AFTER).map(({ start, part }) => (
    <Fragment key={start}>
      {start > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

export function BrokenUrls({ text }: { text: string }) {
  return partsOf(text, BETWEEN_WORDS).map(({ start, part }) =>
    /[/@]/.test(part) ? (
      <Fragment key={start}>
        <span className={classes.url}>
          <BrokenUrl text={part.trimEnd()} />
        </span>{" "}
      </Fragment>
    ) : (
      part
    ),
  );
}
