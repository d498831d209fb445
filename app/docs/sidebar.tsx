// The sidebar of the reference: the resources with their operations, and a search over all of them.
"use client";
import { useId, useState } from "react";
import type { Operation, Reference, Resource } from "./document/build-reference.ts";
import classes from "./reference.module.css";

export const ERRORS = "errors";

function matches({ summary, path, id, method }: Operation, text: string): boolean {
  const all = `${method} ${path} ${summary} ${id}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** The address of a resource inside the page. */
export function resourceId(name: string): string {
  return name.replaceAll(" ", "-");
}

/** "Events to webhooks" */
export function titleOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

export function Sidebar({ reference, current }: { reference: Reference; current: Resource | undefined }) {
  const id = useId();
  const [text, setText] = useState("");
  const words = text.trim();
  const found = reference.resources
    .map((resource) => ({ ...resource, operations: resource.operations.filter((each) => matches(each, words)) }))
    .filter(({ operations }) => operations.length > 0);
  return (
    <div className={classes.sidebar}>
      <label htmlFor={id} className="visually-hidden">
        Search the reference
      </label>
      <input
        id={id}
        type="search"
        className="search-field"
        placeholder="Search"
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <nav aria-label="Operations">
        <ul>
          {found.map((resource) => (
            <OneResource
              key={resource.name}
              resource={resource}
              isOpen={words !== "" || resource.name === current?.name}
            />
          ))}
          {words === "" && (
            <li>
              <a href={`#${ERRORS}`} className={classes.resource} aria-current={current ? undefined : "true"}>
                Errors
              </a>
            </li>
          )}
        </ul>
      </nav>
      {found.length === 0 && (
        <p role="status" className="fine">
          No operation contains “{words}”.
        </p>
      )}
    </div>
  );
}

function OneResource({ resource: { name, operations }, isOpen }: { resource: Resource; isOpen: boolean }) {
  return (
    <li>
      <a href={`#${resourceId(name)}`} className={classes.resource} aria-current={isOpen ? "true" : undefined}>
        {titleOf(name)}
      </a>
      {isOpen && (
        <ul>
          {operations.map(({ id, method, summary, path }) => (
            <li key={id}>
              <a href={`#${id}`} className={classes.entry}>
                <span>{method === "EVENT" ? path : summary}</span>
                <span className={classes.verb} data-method={method}>
                  {method}
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
