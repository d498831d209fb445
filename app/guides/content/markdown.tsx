// <Markdown>: the tokens of a guide as React elements. HTML in the source fails the build, so nothing in a guide becomes markup
// that is not written here.
import { posix } from "node:path";
import type { Token, Tokens } from "marked";
import type { ReactNode } from "react";
import { Scrolling } from "../../design/scrolling.tsx";
import classes from "../guides.module.css";
import { ENTRIES } from "./contents.ts";
import { GuideCode } from "./guide-code.tsx";

const EXTERNAL = /^https?:\/\//;
const IMAGES = "docs/images/";
const COMMENT = /^<!--[^>]*-->\s*$/;

type Props = { tokens: Token[] | undefined; file: string };

export function Markdown({ tokens = [], file }: Props) {
  return withKeys(tokens).map(({ key, item }) => <One key={key} token={item} file={file} />);
}

/** The parts of a page never change, so their places are their keys. */
function withKeys<Item>(items: Item[]): { key: string; item: Item }[] {
  return items.map((item, place) => ({ key: String(place), item }));
}

function One({ token, file }: { token: Token; file: string }): ReactNode {
  const inside = () => <Markdown tokens={"tokens" in token ? token.tokens : []} file={file} />;
  switch (token.type) {
    case "space":
      return null;
    case "html":
      if (COMMENT.test(token.raw)) return null;
      throw new Error(`${file}: guides have no HTML: ${token.raw}`);
    case "paragraph":
      return <p>{inside()}</p>;
    case "strong":
      return <strong>{inside()}</strong>;
    case "em":
      return <em>{inside()}</em>;
    case "codespan":
      return <code>{token.text}</code>;
    case "code":
      return <GuideCode text={token.text} className={classes.pre} />;
    case "list":
      return <List list={token as Tokens.List} file={file} />;
    case "table":
      return <Table table={token as Tokens.Table} file={file} />;
    case "link":
      return <Link link={token as Tokens.Link} file={file} />;
    case "image":
      // biome-ignore lint/performance/noImgElement: files of the build, in the size in which they are shown
      return <img src={imageTarget(token.href, file)} alt={token.text} loading="lazy" />;
    case "text":
    case "escape":
      return "tokens" in token && token.tokens ? inside() : token.text;
    default:
      throw new Error(`${file}: <Markdown> cannot show “${token.type}”: ${token.raw}`);
  }
}

function List({ list: { ordered, items }, file }: { list: Tokens.List; file: string }) {
  const Tag = ordered ? "ol" : "ul";
  return (
    <Tag>
      {withKeys(items).map(({ key, item }) => (
        <li key={key}>
          <Markdown tokens={item.tokens} file={file} />
        </li>
      ))}
    </Tag>
  );
}

function Table({ table: { header, rows }, file }: { table: Tokens.Table; file: string }) {
  const cells = (kind: "th" | "td", row: Tokens.TableCell[]) =>
    withKeys(row).map(({ key, item }) => {
      // A header without text would be announced as one.
      const Tag = item.text === "" ? "td" : kind;
      return (
        <Tag key={key}>
          <Markdown tokens={item.tokens} file={file} />
        </Tag>
      );
    });
  return (
    <Scrolling className={classes.table}>
      <table>
        <thead>
          <tr>{cells("th", header)}</tr>
        </thead>
        <tbody>
          {withKeys(rows).map(({ key, item }) => (
            <tr key={key}>{cells("td", item)}</tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}

function Link({ link: { href, tokens }, file }: { link: Tokens.Link; file: string }) {
  const target = linkTarget(href, file);
  const text = <Markdown tokens={tokens} file={file} />;
  return target === undefined ? text : <a href={target}>{text}</a>;
}

/** @returns undefined for a file that is not a page: its name stays text */
function linkTarget(href: string, file: string): string | undefined {
  if (EXTERNAL.test(href) || href.startsWith("#")) return href;
  const [path = "", anchor] = href.split("#", 2);
  const target = posix.join(posix.dirname(file), path);
  const entry = ENTRIES.find((each) => each.file === target);
  return entry && `/guides/${entry.name}${anchor ? `#${anchor}` : ""}`;
}

function imageTarget(href: string, file: string): string {
  const target = posix.join(posix.dirname(file), href);
  if (!target.startsWith(IMAGES)) throw new Error(`${file}: the image ${href} is not in ${IMAGES}.`);
  return `/guides/images/${target.slice(IMAGES.length)}`;
}
