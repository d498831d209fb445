// The first page of the guides: all of them, each with what it is about.
import type { Metadata } from "next";
import { GROUPS } from "./content/contents.ts";
import { readGuides } from "./content/guide.ts";
import { Frame } from "./frame.tsx";
import classes from "./guides.module.css";

export const metadata: Metadata = { title: "Guides" };

export default function GuidesPage() {
  const guides = readGuides();
  const titles = new Map(guides.map(({ name, title }) => [name, title]));
  return (
    <Frame guides={guides}>
      <h1>Guides</h1>
      <p className="section-lede">
        How to use this service and how to run it. Every call with its fields is in the{" "}
        <a href="/docs">API reference</a>.
      </p>
      {GROUPS.map(({ title, entries }) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <ul className={classes.cards}>
            {entries.map(({ name, about }) => (
              <li key={name}>
                <a href={`/guides/${name}`} className={classes.card}>
                  {titles.get(name)}
                </a>
                <p>{about}</p>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Frame>
  );
}
