// The agent key for calls that are tried, kept only in this page's memory.
"use client";
import { useId } from "react";
import classes from "./reference.module.css";

export function KeyField({ value, onChange }: { value: string; onChange: (key: string) => void }) {
  const id = useId();
  return (
    <form className={classes.key} onSubmit={(event) => event.preventDefault()}>
      <label htmlFor={id}>Agent key</label>
      <input
        id={id}
        type="password"
        autoComplete="off"
        spellCheck={false}
        placeholder="mb_agent_…"
        value={value}
        aria-describedby={`${id}-about`}
        onChange={(event) => onChange(event.target.value)}
      />
      <p id={`${id}-about`} className="fine">
        Sent only to this service, with the calls you try below. It is forgotten when you close or reload the page.
        Calls are real: mail that you send is sent.
      </p>
    </form>
  );
}
