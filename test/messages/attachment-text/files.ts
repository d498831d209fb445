// Documents for tests of attachment texts: PDF, Word and Excel, written by hand.
import { strToU8, type Zippable, zipSync } from "fflate";

/** A PDF with one page for each text. @param encrypted whether it needs a password */
export function pdf(texts: string[], options = {}): Buffer {
  const written = (text: string) => {
    const lines = text.split("\n").map((line) => `(${line}) Tj T*`);
    return `BT /F1 1 Tf 1.2 TL 5 785 Td ${lines.join(" ")} ET`;
  };
  return drawnPdf(texts.map(written), options);
}

/** A PDF whose pages are drawn by these operators. @param font /F1 @param annotations of the first page */
export function drawnPdf(
  contents: string[],
  { encrypted = false, font = "/Subtype /Type1 /BaseFont /Helvetica", annotations = [] as string[] } = {},
): Buffer {
  const kids = contents.map((_, i) => `${4 + 2 * i} 0 R`).join(" ");
  const first = 4 + 2 * contents.length;
  const added = annotations.map((_, i) => `${first + i} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${contents.length} /Kids [${kids}] >>`,
    `<< /Type /Font ${font} >>`,
    ...contents.flatMap((content, i) => {
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * i} 0 R${i === 0 && added ? ` /Annots [${added}]` : ""} >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
    ...annotations.map((annotation) => `<< /Type /Annot ${annotation} >>`),
  ];
  const key = "00".repeat(32);
  if (encrypted) objects.push(`<< /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >>`);
  let file = "%PDF-1.4\n";
  const places = objects.map((object, i) => {
    const at = file.length;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const start = file.length;
  const more = encrypted ? ` /Encrypt ${objects.length} 0 R /ID [<00> <00>]` : "";
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`;
  return Buffer.from(
    `${file}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R${more} >>\nstartxref\n${start}\n%%EOF`,
  );
}

export const zip = (files: Record<string, string | Uint8Array>): Buffer => {
  const entries = Object.entries(files).map(([name, content]) => {
    return [name, typeof content === "string" ? strToU8(content) : content] as const;
  });
  return Buffer.from(zipSync(Object.fromEntries(entries) as Zippable));
};

/** A Word document with this body, and more files. */
export function docx(body: string, more: Record<string, string | Uint8Array> = {}): Buffer {
  const xml = `<?xml version="1.0"?><w:document xmlns:w="x"><w:body>${body}</w:body></w:document>`;
  return zip({ "[Content_Types].xml": "<Types/>", "word/document.xml": xml, ...more });
}

export function paragraph(text: string): string {
  return `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

/** An Excel workbook whose sheet has this XML in its rows, and more files. */
export function xlsx(rows: string, shared: string[] = [], more: Record<string, string> = {}): Buffer {
  return zip({
    "xl/workbook.xml": `<workbook><sheets><sheet name="Costs &amp; more" sheetId="1"/></sheets></workbook>`,
    "xl/sharedStrings.xml": `<sst>${shared.map((text) => `<si><t>${text}</t></si>`).join("")}</sst>`,
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    "xl/vbaProject.bin": "Attribute VB_Name",
    ...more,
  });
}

/** An archive of one file that inflates to so many zeros. @param declared what the archive says */
export function bomb(bytes: number, declared = bytes): Buffer {
  const archive = zip({ "word/document.xml": new Uint8Array(bytes) });
  const central = archive.indexOf(Buffer.from("PK\x01\x02", "latin1"));
  archive.writeUInt32LE(declared, central + 24);
  archive.writeUInt32LE(declared, 22);
  return archive;
}
