// <OneOperation>: prose on the left (what it does, fields, answers), code on the right (the call, the answer, trying it).
"use client";
import { Fragment, useState } from "react";
import { CopyButton } from "../../copy-button.tsx";
import { ScrollingCode } from "../../design/scrolling.tsx";
import { type Answer, CODE_LINE, EVENT, type Operation } from "../document/build-reference.ts";
import type { Field } from "../document/fields.ts";
import classes from "./operation.module.css";
import { Prose } from "./prose.tsx";
import type { Sample } from "./samples.ts";
import { samplesOf } from "./samples.ts";
import { TryIt } from "./try-it.tsx";

type SamplesProps = { samples: Sample[]; language: string; onLanguage: (label: string) => void; what: string };

export type Settings = { apiKey: string; language: string; onLanguage: (label: string) => void };

const WHERE: Record<string, string> = { path: "Path", query: "Query", header: "Headers" };

export function OneOperation({ operation, settings }: { operation: Operation; settings: Settings }) {
  const { id, method, path, summary, description, parameters, body, answers } = operation;
  const isEvent = method === EVENT;
  return (
    <section id={id} className={classes.operation} aria-labelledby={`${id}-title`} data-operation={`${method} ${path}`}>
      <div className={classes.prose}>
        <h3 id={`${id}-title`}>
          <a href={`#${id}`}>{summary}</a>
        </h3>
        <p className={classes.path}>
          <span className={classes.method} data-method={method}>
            {method}
          </span>{" "}
          <code>
            {path.split(/(?=\/)/).map((piece) => (
              <Fragment key={piece}>
                <wbr />
                {piece}
              </Fragment>
            ))}
          </code>
        </p>
        <Prose text={description} />
        {Object.entries(WHERE).map(([where, title]) => {
          const own = parameters.filter((parameter) => parameter.where === where);
          return own.length > 0 && <Part key={where} title={title} fields={own} />;
        })}
        {body && body.fields.length > 0 && <Part title="Body" fields={body.fields} />}
        <h4>{isEvent ? "What you answer" : "Responses"}</h4>
        {answers.map((answer) => (
          <OneAnswer key={answer.status} answer={answer} />
        ))}
      </div>
      <Code operation={operation} settings={settings} isEvent={isEvent} />
    </section>
  );
}

function Part({ title, fields }: { title: string; fields: Operation["parameters"] | Answer["fields"] }) {
  return (
    <>
      <h4>{title}</h4>
      <Fields fields={fields} />
    </>
  );
}

/** The codes of an error, or the first sentence of what the answer is. */
function gistOf(description: string): string {
  const codes = [...description.matchAll(CODE_LINE)].map(([, code]) => code);
  return codes.length > 0 ? codes.join(", ") : description.replaceAll("`", "").replace(/(?<=[.!?])\s[\s\S]*$/, "");
}

function OneAnswer({ answer: { status, description, fields } }: { answer: Answer }) {
  return (
    <details className={classes.answer}>
      <summary>
        <code data-failed={!status.startsWith("2") || undefined}>{status}</code>{" "}
        <span className={classes.gist}>{gistOf(description)}</span>
      </summary>
      <Prose text={description} />
      {status.startsWith("2") && fields.length > 0 && <Fields fields={fields} />}
    </details>
  );
}

type CodeProps = { operation: Operation; settings: Settings; isEvent: boolean };

function Code({ operation, settings: { apiKey, language, onLanguage }, isEvent }: CodeProps) {
  const [trying, setTrying] = useState(false);
  const { id, body, answers } = operation;
  // The last one: before it, a call with `dry_run` and a repeated call have answers of their own.
  const example = isEvent ? body?.example : answers.findLast(({ example }) => example)?.example;
  return (
    <div className={classes.code}>
      {!isEvent && (
        <>
          <Samples
            samples={samplesOf(operation, location.origin)}
            language={language}
            onLanguage={onLanguage}
            what={id}
          />
          <button type="button" className="button small" aria-expanded={trying} onClick={() => setTrying(!trying)}>
            Try it
          </button>
          {trying && <TryIt operation={operation} apiKey={apiKey} />}
        </>
      )}
      {example && (
        <div className={classes.box}>
          <div className={classes.boxHead}>
            <span>{isEvent ? "Body" : "Response"}</span>
            <CopyButton text={example} what={`the example of ${id}`} />
          </div>
          <ScrollingCode text={example} />
        </div>
      )}
    </div>
  );
}

/** The fields of a body or an answer, each with its type and description; fields inside open on request. */
function Fields({ fields }: { fields: Field[] }) {
  return (
    <ul className={classes.fields}>
      {fields.map((field) => (
        <li key={field.name}>
          <p className={classes.fieldHead}>
            <code>{field.name}</code>
            <span className={classes.type}>{field.type}</span>
            {field.required && <span className={classes.required}>required</span>}
          </p>
          {field.description && <Prose text={field.description} />}
          {field.fields.length > 0 && (
            <details>
              <summary>{field.fields.length} fields</summary>
              <Fields fields={field.fields} />
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

/** A call as code, in the language that the visitor chose for all operations. */
function Samples({ samples, language, onLanguage, what }: SamplesProps) {
  const shown = samples.find(({ label }) => label === language) ?? samples[0];
  if (!shown) return null;
  return (
    <div className={classes.box}>
      <div className={classes.boxHead}>
        <fieldset aria-label="Language" className={classes.languages}>
          {samples.map(({ label }) => (
            <button key={label} type="button" aria-pressed={label === shown.label} onClick={() => onLanguage(label)}>
              {label}
            </button>
          ))}
        </fieldset>
        <CopyButton text={shown.code} what={`the call ${what}`} />
      </div>
      <ScrollingCode text={shown.code} />
    </div>
  );
}
