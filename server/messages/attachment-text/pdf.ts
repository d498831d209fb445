// Reads the text of a PDF, some pages at a time.
import { getDocumentProxy } from "unpdf";
import { beginInflating, requireAllInflated } from "./inflate.ts";

/** Of one call. A page takes some milliseconds. */
const PAGES_MAX = 100;

export type PdfPages = { texts: string[]; pages: number };

/**
 * @param from number of the first page, from 0
 * @param chars stops after the page that reaches this length
 * @throws Error if the PDF is broken, encrypted or too large
 */
export async function readPdf(bytes: Uint8Array, from: number, chars: number): Promise<PdfPages> {
  beginInflating();
  const document = await getDocumentProxy(bytes, { useSystemFonts: false, verbosity: 0 });
  try {
    const texts: string[] = [];
    let length = 0;
    for (let at = from; at < document.numPages && texts.length < PAGES_MAX && length < chars; at += 1) {
      const page = await document.getPage(at + 1);
      const { items } = await page.getTextContent();
      const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
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
