// <BrokenUrl>: a URL or an address that breaks after `/`, `.`, `@`, `?` and `&`, and not inside a word if possible.
import { Fragment } from "react";
import { partsOf } from "../../design/text-parts.ts";

const AFTER = /(?<=[/.@?&=-])(?![/.@?&=-])/;

export function BrokenUrl({ text }: { text: string }) {
  return partsOf(text, AFTER).map(({ start, part }) => (
    <Fragment key={start}>
      {start > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
