// One guide, and the links to the guides before and after it.
import type { Metadata } from "next";
import { ENTRIES } from "../content/contents.ts";
import { type Guide, type Heading, readGuide, readGuides } from "../content/guide.ts";
import { Markdown } from "../content/markdown.tsx";
import { Frame } from "../frame.tsx";
import classes from "../guides.module.css";

/** All guides are made by the build; every other name is not found. */
export const dynamicParams = false;

type Params = { name: string };
type Props = { params: Promise<Params> };

export function generateStaticParams(): Params[] {
  return ENTRIES.map(({ name }) => ({ name }));
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { name } = await params;
  const entry = ENTRIES.find((each) => each.name === name);
  return entry ? { title: readGuide(entry).title, description: entry.about } : {};
}

export default async function GuidePage({ params }: Props) {
  const { name } = await params;
  const guides = readGuides();
  const at = guides.findIndex((each) => each.name === name);
  const guide = guides[at];
  if (!guide) throw new Error(`There is no guide ${name}.`);
  return (
    <Frame guides={guides} current={guide}>
      <article className={classes.guide}>
        {guide.sections.map(({ heading, tokens }) => (
          <section key={heading.anchor}>
            <Title heading={heading} />
            <Markdown tokens={tokens} file={guide.file} />
          </section>
        ))}
      </article>
      <nav aria-label="Next and previous" className={classes.neighbours}>
        <Neighbour guide={guides[at - 1]} label="Previous" />
        <Neighbour guide={guides[at + 1]} label="Next" />
      </nav>
    </Frame>
  );
}

function Title({ heading: { depth, text, anchor } }: { heading: Heading }) {
  if (depth === 1) return <h1>{text}</h1>;
  const Tag = depth === 2 ? "h2" : "h3";
  return (
    <Tag id={anchor}>
      <a href={`#${anchor}`} className={classes.anchor}>
        {text}
      </a>
    </Tag>
  );
}

function Neighbour({ guide, label }: { guide: Guide | undefined; label: string }) {
  return (
    guide && (
      <a href={`/guides/${guide.name}`} className={classes.neighbour}>
        <span className="fine">{label}</span>
        {guide.title}
      </a>
    )
  );
}
