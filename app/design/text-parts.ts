// Splits a text into parts that React can tell apart: the key of a part is where it starts.
export function partsOf(text: string, at: RegExp): { start: number; part: string }[] {
  let start = 0;
  return text.split(at).map((part) => {
    const found = { start, part };
    start += part.length;
    return found;
  });
}
