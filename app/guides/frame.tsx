// The frame of every page of the guides: header, search, and the list of all guides.
import type { ReactNode } from "react";
import { Masthead } from "../masthead.tsx";
import { GROUPS } from "./content/contents.ts";
import type { Guide } from "./content/guide.ts";
import classes from "./guides.module.css";
import { Search } from "./search.tsx";
import "../globals.css";

const IN_SIDEBAR_DEPTH = 2;

type Props = { guides: Guide[]; current?: Guide; children: ReactNode };

export function Frame({ guides, current, children }: Props) {
  return (
    <>
      <Masthead label="Mailberth">
        <a href="/">Front page</a>
        <a href="/guides">Guides</a>
        <a href="/docs">API reference</a>
        <a href="/dashboard">Dashboard</a>
      </Masthead>
      <div className={classes.columns}>
        <div className={classes.sidebar}>
          <Search />
          <noscript>
            <p className="fine">The search needs JavaScript.</p>
          </noscript>
          <nav aria-label="Guides" className={classes.contents}>
            {GROUPS.map(({ title, entries }) => (
              <div key={title}>
                <p className={classes.group}>{title}</p>
                <ul>
                  {entries.map(({ name }) => (
                    <Item key={name} guide={guides.find((each) => each.name === name)} current={current} />
                  ))}
                </ul>
              </div>
            ))}
          </nav>
        </div>
        <main id="main" className={classes.content}>
          {children}
        </main>
      </div>
    </>
  );
}

function Item({ guide, current }: { guide: Guide | undefined; current: Guide | undefined }) {
  if (!guide) return null;
  const { name, title, sections } = guide;
  const isCurrent = name === current?.name;
  const headings = isCurrent ? sections.filter(({ heading }) => heading.depth === IN_SIDEBAR_DEPTH) : [];
  return (
    <li>
      <a href={`/guides/${name}`} aria-current={isCurrent ? "page" : undefined}>
        {title}
      </a>
      {headings.length > 0 && (
        <ul>
          {headings.map(({ heading: { anchor, text } }) => (
            <li key={anchor}>
              <a href={`#${anchor}`}>{text}</a>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
