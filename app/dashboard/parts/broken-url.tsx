// <BrokenUrl>: a URL or an address that breaks after `/`, `.`, `@`, `?` and `&`, and not inside a word if possible.
import { Fragment } from "react";

const AFTER = /(?<=[/.@?&=-])(?![/.@?&=-])/;

export function BrokenUrl({ text }: { text: string }) {
  const parts = text.split(AFTER);
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
