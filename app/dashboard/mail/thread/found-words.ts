// The message that a search found: it comes into view, and the words are highlighted in its text. A browser without highlights of ranges
// shows only the message. HTML mail is in a frame, into which the page cannot reach.
"use client";
import { useEffect, useRef } from "react";

/** As in `design/theme.css`. */
const HIGHLIGHT = "found-words";
const RANGES_MAX = 200;
const WORD = /[\p{L}\p{N}]+/gu;

/** @param words undefined: the message was not searched for */
export function useFound(words: string | undefined) {
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = card.current;
    if (words === undefined || !element) return;
    element.scrollIntoView({ block: "start" });
    if (!("highlights" in CSS)) return;
    const wanted = words.toLowerCase().match(WORD) ?? [];
    const mark = () => CSS.highlights.set(HIGHLIGHT, new Highlight(...rangesOf(element, wanted)));
    mark();
    // The text is loaded later, and quotes unfold.
    const watch = new MutationObserver(mark);
    watch.observe(element, { childList: true, subtree: true });
    return () => {
      watch.disconnect();
      CSS.highlights.delete(HIGHLIGHT);
    };
  }, [words]);
  return card;
}

function rangesOf(element: HTMLElement, words: string[]): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node && ranges.length < RANGES_MAX; node = texts.nextNode()) {
    const text = node.nodeValue?.toLowerCase() ?? "";
    // Some characters have another length in lower case.
    if (text.length !== node.nodeValue?.length) continue;
    for (const word of words) {
      for (
        let at = text.indexOf(word);
        at !== -1 && ranges.length < RANGES_MAX;
        at = text.indexOf(word, at + word.length)
      ) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  return ranges;
}
