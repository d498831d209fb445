// Fetches the document and shows one resource of it with its operations; before that a skeleton, and on failure what to do.
"use client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { Unavailable } from "../unavailable.tsx";
import { fetchReference } from "./api-document.ts";
import type { Reference as Content, ErrorCode, Resource } from "./document/build-reference.ts";
import { OneOperation, type Settings } from "./operation/operation.tsx";
import { Prose } from "./operation/prose.tsx";
import { KEY_FIELD } from "./operation/try-it.tsx";
import classes from "./reference.module.css";
import { ERRORS, resourceId, Sidebar, titleOf } from "./sidebar.tsx";

const SKELETON_ROWS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];

function Skeleton() {
  return (
    <section aria-busy="true" aria-label="Loading the operations" className="skeletons">
      {SKELETON_ROWS.map((row) => (
        <span key={row} className={`skeleton ${classes.waiting}`} />
      ))}
    </section>
  );
}

function useHash(): string {
  return useSyncExternalStore(
    (listener) => {
      window.addEventListener("hashchange", listener);
      return () => window.removeEventListener("hashchange", listener);
    },
    () => decodeURIComponent(window.location.hash.slice(1)),
    () => "",
  );
}

/** The resource that the address names, directly or by one of its operations; the first one without a name. */
function namedBy(hash: string, { resources }: Content): Resource | undefined {
  if (hash === ERRORS) return undefined;
  const named = resources.find(
    ({ name, operations }) => resourceId(name) === hash || operations.some(({ id }) => id === hash),
  );
  return named ?? resources[0];
}

export function Reference() {
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ["api-document"],
    queryFn: ({ signal }) => fetchReference(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <Unavailable what="The OpenAPI document" error={error} retry={refetch} busy={isFetching} />;
  return data ? <Shown reference={data} /> : <Skeleton />;
}

function Shown({ reference }: { reference: Content }) {
  const [apiKey, setApiKey] = useState("");
  const [language, setLanguage] = useState("curl");
  const hash = useHash();
  const resource = namedBy(hash, reference);
  // The element appears after the browser looked for it.
  useEffect(() => {
    if (hash) document.getElementById(hash)?.scrollIntoView();
  }, [hash]);
  return (
    <>
      <KeyField value={apiKey} onChange={setApiKey} />
      <div className={classes.columns}>
        <Sidebar reference={reference} current={resource} />
        <div className={classes.content}>
          {resource ? (
            <OneResource
              key={resource.name}
              resource={resource}
              settings={{ apiKey: apiKey.trim(), language, onLanguage: setLanguage }}
            />
          ) : (
            <Errors errors={reference.errors} />
          )}
          {reference.otherBases.map(({ url, description }) => (
            <p key={url} className="fine">
              <code>{url}</code> {description}
            </p>
          ))}
        </div>
      </div>
    </>
  );
}

function OneResource({
  resource: { name, description, operations },
  settings,
}: {
  resource: Resource;
  settings: Settings;
}) {
  return (
    <>
      <h2 id={resourceId(name)}>{titleOf(name)}</h2>
      <p className="section-lede">{description}</p>
      {operations.map((operation) => (
        <OneOperation key={operation.id} operation={operation} settings={settings} />
      ))}
    </>
  );
}

function Errors({ errors }: { errors: ErrorCode[] }) {
  return (
    <>
      <h2 id={ERRORS}>Errors</h2>
      <p className="section-lede">
        Every error answers <code>{'{"error":{"code","message","fix"}}'}</code>. The code never changes; the message
        says what happened, and the fix what to do.
      </p>
      <dl className={classes.errors}>
        {errors.map(({ code, status, fix }) => (
          <div key={code}>
            <dt>
              <code>{code}</code> <span className="fine">{status}</span>
            </dt>
            <dd>
              <Prose text={fix} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** The agent key for calls that are tried, kept only in this page's memory. */
function KeyField({ value, onChange }: { value: string; onChange: (key: string) => void }) {
  return (
    <form className={classes.key} onSubmit={(event) => event.preventDefault()}>
      <label htmlFor={KEY_FIELD}>Agent key</label>
      <input
        id={KEY_FIELD}
        type="password"
        autoComplete="off"
        spellCheck={false}
        placeholder="mb_agent_…"
        value={value}
        aria-describedby={`${KEY_FIELD}-about`}
        onChange={(event) => onChange(event.target.value)}
      />
      <p id={`${KEY_FIELD}-about`} className="fine">
        None yet? <a href="/dashboard/agents?issue">Issue an agent key</a> in the dashboard, or{" "}
        <a href="#redeemEnrollmentKey">redeem an enrollment key</a> here. The key is sent only to this service, with the
        calls you try below. It is forgotten when you close or reload the page. Calls are real: a send sends mail.
      </p>
    </form>
  );
}
