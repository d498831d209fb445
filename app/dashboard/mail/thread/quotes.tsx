// Quotes of other mail in a message, folded behind a button. The service finds them, in the text as in the HTML.
"use client";
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Fragment, useMemo } from "react";
import { type Outputs, useTRPC } from "../../trpc.ts";
import type { Message } from "./message.ts";
import classes from "./thread.module.css";

export type Quotes = Outputs["messages"]["quotes"];

export const NO_QUOTES: Quotes = { html_chars: 0, text: [] };
const LINE_ENDS = /(?<=\n|\r(?!\n))/;

/** Undefined while the service looks for them; none if it fails. */
export function useQuotes({ id, extracted_text, safe_text }: Message): Quotes | undefined {
  const trpc = useTRPC();
  const isAllNew = extracted_text !== null && extracted_text === unfenced(safe_text?.text ?? "");
  const { data, isError } = useQuery({
    ...trpc.messages.quotes.queryOptions({ id }),
    enabled: !isAllNew,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return isAllNew || isError ? NO_QUOTES : data;
}

/** The text between the two lines that say where the words of a stranger begin and end. */
function unfenced(text: string): string {
  return text.slice(text.indexOf("\n"), text.lastIndexOf("\n")).trim();
}

type Part = { at: number; text: string; isQuote: boolean };

/** The parts of a text in order. */
function partsOf(text: string, quotes: Quotes["text"]): Part[] {
  const lines = text.split(LINE_ENDS);
  const parts: Part[] = [];
  let at = 0;
  const add = (to: number, isQuote: boolean) => {
    if (to > at) parts.push({ at, text: lines.slice(at, to).join(""), isQuote });
    at = Math.max(at, to);
  };
  for (const { from, to } of quotes) {
    add(from, false);
    add(to, true);
  }
  add(lines.length, false);
  return parts;
}

export function PlainText({ text, quotes }: { text: string; quotes: Quotes["text"] }) {
  const parts = useMemo(() => partsOf(text, quotes), [text, quotes]);
  if (text.trim() === "") return <p className={classes.note}>(the text is empty)</p>;
  return (
    <div className={classes.text} dir="auto">
      {parts.map(({ at, text: part, isQuote }) =>
        isQuote ? <Quote key={at} text={part} /> : <Fragment key={at}>{part}</Fragment>,
      )}
    </div>
  );
}

function Quote({ text }: { text: string }) {
  const [isShown, shown] = useDisclosure(false);
  return (
    <>
      <UnfoldQuotes isShown={isShown} onToggle={shown.toggle} />
      {isShown && text}
    </>
  );
}

export function UnfoldQuotes({ isShown, onToggle }: { isShown: boolean; onToggle: () => void }) {
  return (
    <Button size="compact-xs" variant="default" className={classes.unfold} onClick={onToggle} aria-expanded={isShown}>
      {isShown ? "Hide quoted text" : "Show quoted text"}
    </Button>
  );
}
