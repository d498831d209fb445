// Reads the text of documents that are ZIP archives: Word, Excel, PowerPoint and OpenDocument. Macros are not read.
import { type Archive, openArchive, type Room, readXml, relationsOf, relationsPath } from "./archive.ts";
import { wordText } from "./document.ts";
import { excelText } from "./excel.ts";
import type { Graphics } from "./graphics.ts";
import { looseText, startsWith } from "./loose.ts";
import { type OpenKind, openDocumentText, openKind } from "./open-document.ts";
import { slidesText } from "./slides.ts";

const READERS = { docx: wordText, xlsx: excelText, pptx: slidesText } as const;
type OoxmlKind = keyof typeof READERS;
export type Office = Graphics & { kind: OoxmlKind | OpenKind };

/** The first element of the main part says what a document is. */
const ROOTS = new Map<string, OoxmlKind>([
  ["document", "docx"],
  ["workbook", "xlsx"],
  ["presentation", "pptx"],
]);
/** Of documents that do not say where their main part is. */
const USUAL = ["word/document.xml", "xl/workbook.xml", "ppt/presentation.xml"];
const TOP = "";

function rootOf(xml: string): string {
  let root = "";
  // Enough for its first tags: namespaces are written there.
  readXml(xml.slice(0, 65_536), {
    open(name) {
      root ||= name;
    },
  });
  return root;
}

function mainPart(archive: Archive): string | undefined {
  const relations = relationsOf(TOP, archive.read([relationsPath(TOP)]).get(relationsPath(TOP)) ?? "");
  const named = relations.find(({ type }) => type === "officeDocument")?.target;
  return [named, ...USUAL].find((path) => path !== undefined && archive.has(path));
}

/**
 * Undefined if the archive is none of them.
 * @param room what it may inflate to, of a document within another
 * @throws Error if it is broken or too large
 */
export function readOffice(bytes: Uint8Array, room?: Room): Office | undefined {
  const archive = openArchive(bytes, room);
  const open = openKind(archive);
  if (open) return { kind: open, ...openDocumentText(archive, open) };
  const main = mainPart(archive);
  if (main === undefined) return undefined;
  const kind = ROOTS.get(rootOf(archive.read([main]).get(main) ?? ""));
  const chunkText = (chunk: Uint8Array<ArrayBuffer>) => {
    if (startsWith(chunk, "PK\x03\x04")) return readOffice(chunk, archive.room);
    const text = looseText(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    return text === undefined ? undefined : { text, isPartial: false };
  };
  return kind && { kind, ...READERS[kind](archive, main, chunkText) };
}
