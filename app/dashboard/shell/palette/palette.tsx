// The dialog that finds and opens anything by its name, and messages by their words, and does what a member may do: Ctrl+K.
"use client";
import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useRouter } from "next/navigation";
import { type KeyboardEvent, useId, useState } from "react";
import { IconSearch } from "../../../design/shell-icons.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import type { Action } from "./actions.tsx";
import { type Find, useFinds } from "./finds.ts";
import classes from "./palette.module.css";

const TYPING_MS = 150;

export default function Palette({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [text] = useDebouncedValue(typed.trim(), TYPING_MS);
  const [at, setAt] = useState(0);
  const [acting, setActing] = useState<Action>();
  const { finds, isLoading } = useFinds(text);
  const router = useRouter();
  const id = useId();
  const chosen = Math.min(at, finds.length - 1);

  if (acting?.Dialog) return <acting.Dialog onClose={onClose} />;

  function go({ href, action }: Find) {
    if (action?.Dialog) {
      setActing(action);
      return;
    }
    onClose();
    if (action?.run) {
      action.run();
      return;
    }
    // The reference has another stylesheet, so it is a full load.
    if (href.startsWith("/dashboard")) router.push(href);
    else location.assign(href);
  }

  function press(event: KeyboardEvent) {
    const found = finds[chosen];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && finds.length > 0) setAt((chosen + step + finds.length) % finds.length);
    else if (event.key === "Enter" && found) go(found);
    else return;
    event.preventDefault();
  }

  return (
    <Dialog
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size="lg"
      centered={false}
      yOffset="10vh"
      title="Find"
      classNames={{ header: "visually-hidden" }}
    >
      <TextInput
        data-autofocus
        size="lg"
        variant="unstyled"
        classNames={{ input: classes.input ?? "" }}
        leftSection={<IconSearch size={19} aria-hidden />}
        placeholder="Find anything, or do something"
        role="combobox"
        aria-label="Find"
        aria-expanded
        aria-controls={`${id}-finds`}
        aria-activedescendant={finds.length > 0 ? `${id}-${chosen}` : undefined}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div id={`${id}-finds`} role="listbox" aria-label="Found" className={classes.finds}>
        {finds.map((found, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field that has the focus handles the keys of its options
          <div
            key={`${found.kind} ${found.href} ${found.name}`}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className={classes.find}
            ref={index === chosen ? (element) => element?.scrollIntoView({ block: "nearest" }) : undefined}
            onMouseMove={() => setAt(index)}
            onClick={() => go(found)}
          >
            <span className={classes.name}>
              {found.name}
              {found.detail && <span className={classes.detail}>{found.detail}</span>}
            </span>
            <span className={classes.kind}>{found.kind}</span>
          </div>
        ))}
      </div>
      {finds.length === 0 && (
        <p role="status" className={classes.none}>
          {isLoading || text !== typed.trim() ? "Searching…" : `Nothing is found for “${text}”.`}
        </p>
      )}
    </Dialog>
  );
}
