// Remembers what each character is, so that a loop over a text needs no regular expression.

/** @param read what a character is, above 0; it is asked once for each code point */
export function characterKinds<Kind extends number>(read: (character: string) => Kind): (point: number) => Kind {
  const kinds = new Uint8Array(0x11_00_00);
  return (point) => {
    const known = kinds[point] as Kind;
    if (known !== 0) return known;
    const kind = read(String.fromCodePoint(point));
    kinds[point] = kind;
    return kind;
  };
}
