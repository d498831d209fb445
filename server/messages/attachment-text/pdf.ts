// Reads the text of a PDF, some pages at a time, in the order in which a person reads a page.
import { fileURLToPath } from "node:url";
import { getDocumentProxy } from "unpdf";
import { actualTextOf, markActualText } from "./actual-text.ts";
import { beginInflating, requireAllInflated } from "./inflate.ts";
import { type Piece, textInReadingOrder } from "./reading-order.ts";

/** Of one call. A page takes some milliseconds. */
const PAGES_MAX = 100;
/** The encodings of Chinese, Japanese and Korean that a PDF names and does not hold. pdf.js reads only those that it knows the names of. */
const CMAPS = fileURLToPath(new URL("./cmaps/", import.meta.url));
/** Of one page: fields of a form, and notes. */
const ANNOTATIONS_MAX = 2_000;

/** Between the texts of two pages. */
export const PAGE_END = "\n\n";

/** `isPartial`: a page has more notes than are read. */
type PdfPages = { texts: string[]; pages: number; isPartial: boolean };

/**
 * @param from number of the first page, from 0
 * @param chars stops after the page that reaches this length
 * @throws Error if the PDF is broken, encrypted or too large
 */
export async function readPdf(bytes: Uint8Array, from: number, chars: number): Promise<PdfPages> {
  beginInflating();
  // pdf.js refuses a Buffer, and takes the memory of what it gets.
  const document = await getDocumentProxy(markActualText(new Uint8Array(bytes)), {
    useSystemFonts: false,
    verbosity: 0,
    cMapUrl: CMAPS,
  });
  try {
    const texts: string[] = [];
    let length = 0;
    let isPartial = false;
    for (let at = from; at < document.numPages && texts.length < PAGES_MAX && length < chars; at += 1) {
      const page = await document.getPage(at + 1);
      const { items, styles } = await page.getTextContent({ includeMarkedContent: true });
      const annotations = await page.getAnnotations();
      isPartial ||= annotations.length > ANNOTATIONS_MAX;
      const { written, notes } = wordsOf(annotations.slice(0, ANNOTATIONS_MAX));
      const pieces = withWritten(once(actualPieces(items)), written);
      const text = textInReadingOrder(pieces, (font) => styles[font]?.vertical === true) + notes;
      page.cleanup();
      texts.push(text);
      length += text.length + PAGE_END.length;
    }
    requireAllInflated();
    return { texts, pages: document.numPages, isPartial };
  } finally {
    await document.loadingTask.destroy();
  }
}

const NO_PIECE: Piece = { str: "", hasEOL: false, transform: [1, 0, 0, 1, 0, 0], width: 0, height: 0 };

type Item = Piece | { type: string; tag?: string };

/** A place without width at the end of a piece. */
function behind(piece: Piece): Piece {
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = piece.transform;
  const steps = piece.width / (Math.hypot(a, b) || 1);
  return { ...piece, transform: [a, b, c, d, x + a * steps, y + b * steps], width: 0, hasEOL: false };
}

/** The pieces, with the words that a program wrote of what it drew (`ActualText`) in place of the letters that are drawn. */
function actualPieces(items: Item[]): Piece[] {
  const pieces: Piece[] = [];
  let depth = 0;
  let actual: { text: string; depth: number; place: Piece | undefined } | undefined;
  /** Words before all pieces. */
  let before = "";
  for (const read of items) {
    const item = before !== "" && "str" in read ? { ...read, str: before + read.str } : read;
    if ("str" in item) {
      before = "";
      const isFirst = actual && !actual.place && item.str.trim() !== "";
      // A blank before the first letter stands before the words.
      if (!actual || (!actual.place && !isFirst)) pieces.push(item);
      else if (actual.place) actual.place.width += item.width;
      else {
        actual.place = { ...item, str: actual.text };
        pieces.push(actual.place);
      }
      continue;
    }
    if (item.type === "endMarkedContent") {
      if (actual?.depth === depth) {
        const last = pieces.at(-1);
        // What is drawn may be lines instead of letters, before which pdf.js says no blank.
        const blank = last && /\S$/.test(last.str) && !last.hasEOL ? " " : "";
        if (!actual.place && !last) before += actual.text;
        else if (!actual.place && last) pieces.push({ ...behind(last), str: blank + actual.text });
        actual = undefined;
      }
      depth -= 1;
    } else {
      depth += 1;
      const text = actual ? undefined : actualTextOf(item.tag ?? "");
      if (text !== undefined) actual = { text, depth, place: undefined };
    }
  }
  return before === "" ? pieces : [{ ...NO_PIECE, str: before }];
}

/** Of one place, in points: a driver makes letters bold by drawing them again so near. */
const SAME_PLACE = 1;

/** Without words that are drawn again in the same place. */
function once(pieces: Piece[]): Piece[] {
  const places = new Map<string, { x: number; y: number }>();
  return pieces.map((piece) => {
    const { str, transform, height } = piece;
    const [x = 0, y = 0] = transform.slice(4);
    if (str.trim() === "") return piece;
    const key = `${height} ${str}`;
    const last = places.get(key);
    places.set(key, { x, y });
    const isAgain = last && Math.abs(last.x - x) < SAME_PLACE && Math.abs(last.y - y) < SAME_PLACE;
    return isAgain ? { ...piece, str: "" } : piece;
  });
}

/** What pdf.js says of a field, or of what was added to a page. */
type Annotation = {
  subtype: string;
  rect: number[];
  annotationFlags: number;
  hidden?: boolean;
  contentsObj?: { str: string };
  textContent?: string[];
  fieldType?: string;
  fieldName?: string;
  alternativeText?: string;
  fieldValue?: string | string[] | null;
  password?: boolean;
  options?: { exportValue: string | null; displayValue: string | null }[];
  checkBox?: boolean;
  radioButton?: boolean;
  exportValue?: string;
  buttonValue?: string;
};
/** What is typed or marked on a page. `name` of a field. Units of the page. */
type Written = {
  text: string;
  name: string;
  isMark: boolean;
  left: number;
  right: number;
  bottom: number;
  top: number;
};

/** `HIDDEN` and `NOVIEW` of annotations (ISO 32000 §12.5.3). */
const UNSEEN_FLAGS = 2 | 32;
/** A link is in the words of the page; a window of a note repeats the note. */
const WORDLESS = new Set(["Link", "Popup"]);

/** The value of a field as a person sees it. */
function shownValue(field: Annotation): string {
  const { fieldType, fieldValue, options = [] } = field;
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue ?? ""]).filter((value) => value !== "");
  if (field.password) return "";
  if (fieldType === "Tx") return values.join(" ");
  if (fieldType === "Ch")
    return values.map((value) => options.find((each) => each.exportValue === value)?.displayValue ?? value).join(", ");
  const on = field.checkBox ? field.exportValue : field.radioButton ? field.buttonValue : undefined;
  if (field.checkBox || field.radioButton) return on && values[0] === on ? "[x]" : "[ ]";
  return (field.textContent ?? []).join(" ");
}

/** `notes` stand at the end of the page. */
function wordsOf(annotations: Annotation[]): { written: Written[]; notes: string } {
  const written: Written[] = [];
  let notes = "";
  for (const each of annotations) {
    const { subtype, rect, contentsObj, textContent = [] } = each;
    if (WORDLESS.has(subtype) || each.annotationFlags & UNSEEN_FLAGS || each.hidden) continue;
    const [left = 0, bottom = 0, right = 0, top = 0] = rect;
    const place = { left, bottom, right, top };
    const shown = textContent.join(" ").trim();
    const contents = (contentsObj?.str ?? "").replace(/\r\n?/g, "\n").trim();
    if (subtype === "Widget") {
      const text = shownValue(each).replace(/\r\n?/g, "\n").trim();
      const isMark = each.checkBox === true || each.radioButton === true;
      const name = each.alternativeText || each.fieldName || "";
      if (text !== "") written.push({ ...place, text, name, isMark });
    } else if (subtype === "FreeText" || subtype === "Stamp") {
      const text = subtype === "FreeText" ? contents || shown : shown;
      if (text !== "") written.push({ ...place, text, name: "", isMark: false });
      if (subtype === "Stamp" && contents !== "" && contents !== shown) notes += `Note: ${contents}\n`;
    } else if (contents !== "") notes += `Note: ${contents}\n`;
  }
  return { written, notes: notes && `\n${notes}` };
}

/**
 * Puts what is written beside its label: the nearest words of the line before it, or behind the box that is marked. Where there
 * is none, the name of the field is the label.
 */
function withWritten(pieces: Piece[], written: Written[]): Piece[] {
  if (written.length === 0) return pieces;
  const all = [...pieces];
  for (const { text, name, isMark, left, right, bottom, top } of written) {
    const gap = ({ transform, width }: Piece) => {
      const x = transform[4] ?? 0;
      return isMark && x >= left ? Math.max(0, x - right) : left - x - width;
    };
    const inLine = pieces.filter(({ str, transform, height, width }) => {
      const [x = 0, y = 0] = transform.slice(4);
      const isSide = x + width <= left + height || (isMark && x >= right - height);
      return str.trim() !== "" && isSide && y + height / 2 >= bottom && y <= top - height / 4;
    });
    const label = inLine.length === 0 ? undefined : inLine.reduce((a, b) => (gap(b) < gap(a) ? b : a));
    if (!label) {
      const height = Math.min(top - bottom, 12);
      const transform = [1, 0, 0, 1, left, top - height];
      const str = name === "" ? text : `${name}: ${text}`;
      all.push({ str, hasEOL: true, transform, width: right - left, height, isApart: true });
      continue;
    }
    const at = all.indexOf(label);
    const isBefore = isMark && (label.transform[4] ?? 0) >= left;
    if (isBefore) all.splice(at, 0, { ...label, str: `${text} `, width: 0 });
    else {
      const end = behind(label);
      all.splice(at + 1, 0, { ...end, str: ` ${text}`, width: Math.max(0, right - (end.transform[4] ?? 0)) });
    }
  }
  return all;
}
