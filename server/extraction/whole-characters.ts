// Keeps cuts out of characters of two code units.

/** The offset, or the one before it if it is inside a surrogate pair. */
export function wholeCharacters(text: string, offset: number): number {
  return (text.codePointAt(offset - 1) ?? 0) > 0xff_ff ? offset - 1 : offset;
}
