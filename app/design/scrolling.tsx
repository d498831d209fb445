// <Scrolling>: what may be wider than its place scrolls sideways, also by the keyboard. <ScrollingCode>: code that does.
import type { ReactNode } from "react";

type Props = { as?: "div" | "pre"; className?: string | undefined; children: ReactNode };

/** The keyboard scrolls only what it can reach, so it is a stop of the Tab key. */
export function Scrolling({ as: Tag = "div", className, children }: Props) {
  return (
    <Tag className={className} tabIndex={0}>
      {children}
    </Tag>
  );
}

export function ScrollingCode({ text, className }: { text: string; className?: string | undefined }) {
  return (
    <Scrolling as="pre" className={className}>
      <code>{text}</code>
    </Scrolling>
  );
}
