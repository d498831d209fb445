// The agent key for "Execute", kept only in this page's memory.
"use client";
import { useEffect, useId, useState } from "react";
import classes from "./reference.module.css";
import type { Drawn } from "./renderer.ts";

export function KeyField({ drawn }: { drawn: Drawn | undefined }) {
  const [key, setKey] = useState("");
  const id = useId();

  useEffect(() => drawn?.callWith(key.trim()), [drawn, key]);

  return (
    <form className={classes.key} onSubmit={(event) => event.preventDefault()}>
      <label htmlFor={id}>Agent key</label>
      <input
        id={id}
        type="password"
        autoComplete="off"
        spellCheck={false}
        placeholder="mb_agent_…"
        value={key}
        aria-describedby={`${id}-about`}
        onChange={(event) => setKey(event.target.value)}
      />
      <p id={`${id}-about`} className="fine">
        Sent only to this service, with the calls you try below. It is forgotten when you close or reload the page.
        Calls are real: mail that you send is sent.
      </p>
    </form>
  );
}
