// <Keyboard>: the keys of every page: find (Ctrl+K), search this page (/), go to a page (g and a letter), and help (?). Its dialogs load when first opened.
"use client";
import { useEffect, useState } from "react";
import { later } from "../../parts/later.ts";
import { activeShortcuts, type Shortcut, useShortcuts, useSingleEnter } from "../../parts/shortcuts.ts";
import { useKeptFocus } from "./kept-focus.ts";

const Palette = later(() => import("../palette/palette.tsx"));
const Help = later(() => import("./help.tsx"));
const Go = later(() => import("./go.tsx"));
/** For the letter after "g". */
const LETTER_MS = 1_500;

const SEARCH = "#main input[type=search]";
/** Opens the palette from elsewhere on the page. */
const FIND = "mailberth:find";

export function openPalette(): void {
  window.dispatchEvent(new Event(FIND));
}

export function Keyboard() {
  const [finding, setFinding] = useState(false);
  const [helped, setHelped] = useState<Shortcut[]>();
  const [letter, setLetter] = useState<string>();
  useEffect(() => {
    const find = () => setFinding(true);
    function press(event: KeyboardEvent) {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      find();
    }
    document.addEventListener("keydown", press);
    window.addEventListener(FIND, find);
    return () => {
      document.removeEventListener("keydown", press);
      window.removeEventListener(FIND, find);
    };
  }, []);
  useSingleEnter();
  useKeptFocus();
  useShortcuts([
    {
      keys: "/",
      does: "Search on this page, or find anything",
      run() {
        const field = document.querySelector<HTMLInputElement>(SEARCH);
        if (field) field.focus();
        else setFinding(true);
      },
    },
    { keys: "g", does: "Go to a page", run: () => readLetter(setLetter) },
    { keys: "?", does: "Shortcuts", run: () => setHelped(activeShortcuts()) },
  ]);
  return (
    <>
      {finding && <Palette onClose={() => setFinding(false)} />}
      {letter && <Go letter={letter} onDone={() => setLetter(undefined)} />}
      {helped && <Help shortcuts={helped} onClose={() => setHelped(undefined)} />}
    </>
  );
}

/** The next key belongs to no other shortcut. */
function readLetter(go: (letter: string) => void): void {
  const options = { once: true, capture: true, signal: AbortSignal.timeout(LETTER_MS) };
  document.addEventListener(
    "keydown",
    (event) => {
      event.preventDefault();
      event.stopPropagation();
      go(event.key);
    },
    options,
  );
}
