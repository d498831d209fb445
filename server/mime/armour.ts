// Finds blocks of PGP in a text (RFC 9580 §6): messages that need a key, signatures and keys.

const BEGIN = /^-----BEGIN PGP (?!SIGNED )([A-Z0-9 ,/]{3,60})-----[ \t]*$/;
const END = /^-----END PGP [A-Z0-9 ,/]{3,60}-----[ \t]*$/;
/** A field, a line of base64, or an empty one. */
const LINE = /^(?:[A-Za-z-]{1,40}: .*|[A-Za-z0-9+/=]*[ \t]*)$/;
const CHARACTERS = /^[A-Za-z0-9+/=]+[ \t]*$/;
/** Longer than a word in a text about PGP. */
const DATA = /^[A-Za-z0-9+/]{16}/;

/**
 * `words`: the lines that are in no block, which has data or an end. Where the end is missing, what follows the last line of data is words.
 * `isEncrypted`: whether a message stands there, unless it is quoted.
 */
export function readArmour(text: string): { words: string; isEncrypted: boolean } {
  if (!text.includes("-----BEGIN PGP ")) return { words: text, isEncrypted: false };
  const words: string[] = [];
  let [label, isQuoted, isEncrypted] = ["", false, false];
  let held: string[] = [];
  /** How many of the held lines are of the block. */
  let block = 0;
  const release = () => {
    for (const line of held.slice(block)) words.push(line);
    [label, held, block] = ["", [], 0];
  };
  let isInData = false;
  for (const line of text.split("\n")) {
    const own = line.replace(/^[> \t]+/, "");
    const begun = BEGIN.exec(own)?.[1];
    if (begun !== undefined) {
      release();
      [label, isQuoted, held, isInData] = [begun, own !== line, [line], false];
    } else if (label !== "" && END.test(own)) [label, held, block] = ["", [], 0];
    else if (label !== "" && LINE.test(own)) {
      held.push(line);
      const isData = DATA.test(own);
      isInData = isData || (isInData && CHARACTERS.test(own));
      if (isInData) block = held.length;
      if (label.startsWith("MESSAGE") && !isQuoted && isData) isEncrypted = true;
    } else {
      release();
      words.push(line);
    }
  }
  release();
  return { words: words.join("\n"), isEncrypted };
}
