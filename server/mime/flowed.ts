// Joins the lines of `format=flowed` text (RFC 3676 §4): first the depth of a quote is read, then lines of one depth are joined.

type Line = { depth: number; text: string };

function readLine(line: string): Line {
  let depth = 0;
  while (line.charAt(depth) === ">") depth += 1;
  // Space-stuffing (§4.4).
  const text = line.charAt(depth) === " " ? line.slice(depth + 1) : line.slice(depth);
  return { depth, text };
}

function writeLine({ depth, text }: Line): string {
  // Its own words may start like a quote.
  if (depth === 0) return text.startsWith(">") ? ` ${text}` : text;
  return text === "" ? ">".repeat(depth) : `${">".repeat(depth)} ${text}`;
}

/**
 * @param text with LF line breaks
 * @param isSpaceless DelSp=yes: the space at a soft line break is no part of the text
 */
export function joinFlowed(text: string, isSpaceless: boolean): string {
  const lines = text.split("\n");
  const found: string[] = [];
  let [depth, pieces]: [number, string[]] = [0, []];
  const close = () => {
    if (pieces.length > 0) found.push(writeLine({ depth, text: pieces.join("").trimEnd() }));
    pieces = [];
  };
  for (const written of lines) {
    const line = readLine(written);
    if (pieces.length > 0 && line.depth !== depth) close();
    depth = line.depth;
    // The line before a signature is neither joined nor flowed (§4.3).
    const isSignature = line.text === "-- ";
    if (isSignature) {
      close();
      found.push(writeLine(line));
    } else if (line.text.endsWith(" ")) pieces.push(isSpaceless ? line.text.slice(0, -1) : line.text);
    else {
      found.push(writeLine({ depth, text: pieces.join("") + line.text }));
      pieces = [];
    }
  }
  close();
  return found.join("\n");
}
