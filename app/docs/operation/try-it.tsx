// <TryIt>: a form that makes the call with the visitor's key, and shows the answer.
"use client";
import { type SubmitEvent, useId, useState } from "react";
import { ScrollingCode } from "../../design/scrolling.tsx";
import type { Operation } from "../document/build-reference.ts";
import classes from "./operation.module.css";
import { pathWith } from "./samples.ts";

/** The id of the field with the agent key, above all operations. */
export const KEY_FIELD = "agent-key";
const SHOWN_MAX_CHARS = 20_000;
const TIMEOUT_MS = 130_000;
const STREAM_MS = 5_000;

type Told = { status: string; text: string };

/** The first characters of an answer; a stream is read for some seconds. */
async function readStart(answer: Response, abort: AbortController): Promise<string> {
  const isStream = answer.headers.get("Content-Type")?.startsWith("text/event-stream");
  const timer = isStream ? setTimeout(() => abort.abort(), STREAM_MS) : undefined;
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    while (reader && text.length < SHOWN_MAX_CHARS) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
    }
  } catch (error) {
    if (!isStream) throw error;
  }
  clearTimeout(timer);
  abort.abort();
  return text;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text; // no JSON: shown as it is
  }
}

async function send(operation: Operation, values: Record<string, string>, body: string, key: string): Promise<Told> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
  const started = performance.now();
  const given = operation.parameters.flatMap(({ name, where }) =>
    where === "header" && values[name] ? [[name, values[name]] as [string, string]] : [],
  );
  try {
    const answer = await fetch(pathWith(operation, values), {
      method: operation.method,
      signal: abort.signal,
      credentials: "omit",
      headers: [
        ...given,
        ...(key ? [["Authorization", `Bearer ${key}`] as [string, string]] : []),
        ...(operation.body
          ? [["Content-Type", operation.body.isFile ? "text/plain" : "application/json"] as [string, string]]
          : []),
      ],
      ...(operation.body && { body }),
    });
    const text = pretty(await readStart(answer, abort));
    return { status: `${answer.status} after ${Math.round(performance.now() - started)} ms`, text };
  } catch {
    return { status: "No answer", text: "The service did not answer. Check your connection, then send again." };
  } finally {
    clearTimeout(timer);
  }
}

export function TryIt({ operation, apiKey }: { operation: Operation; apiKey: string }) {
  const id = useId();
  const asked = operation.parameters.filter(({ where }) => where !== "cookie");
  const [values, setValues] = useState<Record<string, string>>({});
  const [body, setBody] = useState(operation.body?.example || "{}");
  const [told, setTold] = useState<Told>();
  const [busy, setBusy] = useState(false);

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setTold(await send(operation, values, body, apiKey));
    setBusy(false);
  }

  return (
    <form className={classes.form} onSubmit={submit} aria-label={`Try ${operation.id}`}>
      {asked.map(({ name, required, example }) => (
        <label key={name} htmlFor={`${id}-${name}`}>
          <code>{name}</code>
          <input
            id={`${id}-${name}`}
            required={required}
            autoComplete="off"
            spellCheck={false}
            placeholder={example}
            value={values[name] ?? ""}
            onChange={(event) => setValues({ ...values, [name]: event.target.value })}
          />
        </label>
      ))}
      {operation.body && (
        <label htmlFor={`${id}-body`}>
          Body
          <textarea
            id={`${id}-body`}
            rows={Math.min(14, body.split("\n").length + 1)}
            spellCheck={false}
            value={body}
            onChange={(event) => setBody(event.target.value)}
          />
        </label>
      )}
      {operation.needsKey && !apiKey && (
        <p className="fine">
          This call needs an agent key.{" "}
          <button type="button" className="link" onClick={() => document.getElementById(KEY_FIELD)?.focus()}>
            Enter one
          </button>
        </p>
      )}
      <button type="submit" className="button small" aria-disabled={busy}>
        {busy ? "Sending…" : "Send"}
      </button>
      {told && (
        <div role="status" className={classes.told}>
          <p>{told.status}</p>
          <ScrollingCode text={told.text} />
        </div>
      )}
    </form>
  );
}
