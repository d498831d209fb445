// Finds blocks of PGP in a text (RFC 9580 §6): messages that need a key, signatures and keys.

const BEGIN = /^-----BEGIN PGP (?!SIGNED )([A-Z0-9 ,/]{3,60})-----[ \t]*$/;
const END = /^-----END PGP [A-Z0-9 ,/]{3,60}-----[ \t]*$/;
/** A field, a line of base64, or an empty one. */
const LINE = /^(?:[A-Za-z-]{1,40}: .*|[A-Za-z0-9+/=]*[ \t]*)$/;
/** Longer than a word in a text about PGP. */
const DATA = /^[A-Za-z0-9+/]{16}/;

/** `words`: the lines that are in no block. `isEncrypted`: whether a message stands there, unless it is quoted. */
export function readArmour(text: string): { words: string; isEncrypted: boolean } {
  if (!text.includes("-----BEGIN PGP ")) return { words: text, isEncrypted: false };
  const words: string[] = [];
  let [label, isQuoted, isEncrypted] = ["", false, false];
  for (const line of text.split("\n")) {
    const own = line.replace(/^[> \t]+/, "");
    const begun = BEGIN.exec(own)?.[1];
    if (begun !== undefined) [label, isQuoted] = [begun, own !== line];
    else if (label !== "" && END.test(own)) label = "";
    else if (label !== "" && LINE.test(own)) {
      if (label.startsWith("MESSAGE") && !isQuoted && DATA.test(own)) isEncrypted = true;
    } else {
      label = "";
      words.push(line);
    }
  }
  return { words: words.join("\n"), isEncrypted };
}
