// Reads the text of a PDF, some pages at a time, in the order in which a person reads a page.
import { fileURLToPath } from "node:url";
import { getDocumentProxy } from "unpdf";
import { beginInflating, requireAllInflated } from "./inflate.ts";

/** Of one call. A page takes some milliseconds. */
const PAGES_MAX = 100;
/** The encodings of Chinese, Japanese and Korean that a PDF names and does not hold. pdf.js reads only those that it knows the names of. */
const CMAPS = fileURLToPath(new URL("./cmaps/", import.meta.url));
/** Of one page. More of them, and pages on which some text is turned or vertical, stay in the order in which they are drawn. */
const BLOCKS_MAX = 200;
/** Of the height of a line, what its capitals have. */
const CAPITALS = 0.7;
/** Letters of Chinese, Japanese and Korean that stand alone, as in a title that is written wide. */
const WIDE_TITLE =
  /(?<![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}])(?:[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}] ){2,}[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}](?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}])/gu;

type PdfPages = { texts: string[]; pages: number };

/**
 * @param from number of the first page, from 0
 * @param chars stops after the page that reaches this length
 * @throws Error if the PDF is broken, encrypted or too large
 */
export async function readPdf(bytes: Uint8Array, from: number, chars: number): Promise<PdfPages> {
  beginInflating();
  // pdf.js refuses a Buffer, and takes the memory of what it gets.
  const document = await getDocumentProxy(new Uint8Array(bytes), {
    useSystemFonts: false,
    verbosity: 0,
    cMapUrl: CMAPS,
  });
  try {
    const texts: string[] = [];
    let length = 0;
    for (let at = from; at < document.numPages && texts.length < PAGES_MAX && length < chars; at += 1) {
      const page = await document.getPage(at + 1);
      const { items } = await page.getTextContent();
      const text = textOfPage(items.filter((item) => "str" in item));
      page.cleanup();
      texts.push(text);
      length += text.length;
    }
    requireAllInflated();
    return { texts, pages: document.numPages };
  } finally {
    await document.loadingTask.destroy();
  }
}

/** What pdf.js says of a piece of text: `transform` has the direction of writing, and the place of its start in its last two numbers. */
type Piece = { str: string; hasEOL: boolean; transform: number[]; width: number; height: number };
/** Lines that are drawn one below the other. Upwards, `top` and `bottom` are larger. */
type Block = { text: string; left: number; right: number; top: number; bottom: number };

function textOfPage(pieces: Piece[]): string {
  const isTurned = pieces.some(({ transform: [across = 1, up = 0] }) => up !== 0 || across <= 0);
  const text = isTurned ? pieces.map(written).join("") : textOfBlocks(blocksOf(pieces));
  return text.replace(WIDE_TITLE, (title) => title.replaceAll(" ", ""));
}

const written = ({ str, hasEOL }: Piece) => str + (hasEOL ? "\n" : "");

function textOfBlocks(blocks: Block[]): string {
  const ordered = blocks.length > BLOCKS_MAX ? blocks : inReadingOrder(blocks);
  // The last line of a block may lack its end where another block follows.
  return ordered.map(({ text }, n) => (n === ordered.length - 1 || text.endsWith("\n") ? text : `${text}\n`)).join("");
}

/** In the order in which they are drawn. */
function blocksOf(pieces: Piece[]): Block[] {
  const blocks: Block[] = [];
  for (const piece of pieces) {
    const { str, transform, width, height } = piece;
    const [x = 0, y = 0] = transform.slice(4);
    const last = blocks.at(-1);
    // A piece without words is a blank or an end of a line.
    const isBlank = str.trim() === "";
    if (last && (isBlank || y <= last.bottom + height / 2)) {
      last.text += written(piece);
      if (isBlank) continue;
      last.bottom = Math.min(last.bottom, y);
      last.left = Math.min(last.left, x);
      last.right = Math.max(last.right, x + width);
    } else blocks.push({ text: written(piece), left: x, right: x + width, top: y + height * CAPITALS, bottom: y });
  }
  return blocks;
}

const overlap = (one: Block, other: Block) => one.left < other.right && other.left < one.right;
const isAbove = (one: Block, other: Block) => one.bottom >= other.top;

/** Columns are read one after the other; in a column, what stands above comes first. Otherwise the order stays. */
function inReadingOrder(blocks: Block[]): Block[] {
  const left = [...blocks];
  const ordered: Block[] = [];
  while (left.length > 0) {
    const first = left.findIndex(
      (one) => !left.some((other) => other !== one && overlap(one, other) && isAbove(other, one)),
    );
    ordered.push(...left.splice(Math.max(0, first), 1));
  }
  return ordered;
}
