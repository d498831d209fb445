// Reads the text of a Word document, of its headers, notes and footers, and of what stands in it as a file of another kind.
import { type Archive, collect, relationsOf, relationsPath } from "./archive.ts";
import { type Graphics, graphicsText, readable } from "./graphics.ts";
import { countNumbers } from "./numbering.ts";
import { paragraphsOf } from "./word.ts";

/** Headers come first, since they often hold the number of an invoice. */
const BEFORE = ["header"];
const AFTER = ["footnotes", "endnotes", "comments", "footer"];
/** Of a document without relationships. */
const USUAL = ["header1", "footnotes", "endnotes", "comments", "footer1"];
/** A file of another kind (ECMA-376 part 1, §17.17.2.1). */
const CHUNK = "aFChunk";

/**
 * @param main the path of the body
 * @param chunkText the words of such a file; undefined if its kind is not read
 */
export function wordText(
  archive: Archive,
  main: string,
  chunkText: (bytes: Uint8Array<ArrayBuffer>) => Graphics | undefined,
): Graphics {
  const relationsFile = relationsPath(main);
  const first = archive.read([main, relationsFile]);
  const written = relationsOf(main, first.get(relationsFile) ?? "");
  const relations =
    written.length > 0 ? written : USUAL.map((name) => ({ type: name.replace(/\d/, ""), target: `word/${name}.xml` }));
  const pathsOf = (types: string[]) =>
    types.flatMap((type) => relations.filter((each) => each.type === type).map(({ target }) => target));
  const [numbering = "word/numbering.xml"] = pathsOf(["numbering"]);
  const [styles = "word/styles.xml"] = pathsOf(["styles"]);
  const files = archive.read([...pathsOf(BEFORE), ...pathsOf(AFTER), numbering, styles]);
  const numberOf = countNumbers(files.get(numbering) ?? "", files.get(styles) ?? "");
  let isPartial = false;
  const chunkOf = (id: string) => {
    const target = written.find((each) => each.id === id && each.type === CHUNK)?.target;
    const bytes = target === undefined ? undefined : archive.octets(target);
    const read = bytes && readable(() => chunkText(bytes));
    isPartial ||= read === undefined || read.isPartial;
    return read?.text ?? "";
  };
  const seen = new Set<string>();
  const out = collect();
  // First pages and even pages often have a header of their own with the same words.
  for (const path of [...pathsOf(BEFORE), main, ...pathsOf(AFTER)]) {
    const text =
      path === main ? paragraphsOf(first.get(path) ?? "", chunkOf, numberOf) : paragraphsOf(files.get(path) ?? "");
    const isRepeated = path !== main && (text.trim() === "" || seen.has(text));
    seen.add(text);
    if (!isRepeated) out.add(text);
  }
  const beside = graphicsText(archive, written);
  out.add(beside.text);
  return { text: out.text(), isPartial: isPartial || beside.isPartial };
}
