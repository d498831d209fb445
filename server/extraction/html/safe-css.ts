// Makes the CSS of a mail fetch nothing: what names a thing elsewhere is made a name that no browser knows.

/** Functions and rules that fetch. Escapes are taken out before, so there is no other way to write them. */
const FETCHING = /\b(?:url|src|image|image-set|cross-fade|element|paint)\(|@(?:import|font-face|namespace|charset)\b/gi;
const REMOTE_URL = /(?:\burl\(|@import\b)\s{0,20}["']?\s{0,20}((?:https?:)?\/\/[^\s"')]{1,2048})/gi;
/** `<` ends a <style> element, `\` hides what is written, `expression` and `behavior` were scripts in browsers of old. */
const NEVER = /[<\\\0]|\bexpression\s*\(|\b(?:behavior|-moz-binding)\s*:/gi;

/**
 * @param css of a style sheet or a style attribute
 * @param onRemote is told of each address that it would have fetched
 */
export function safeCss(css: string, onRemote: (url: string) => void): string {
  const plain = css.replace(NEVER, "");
  for (const [, url = ""] of plain.matchAll(REMOTE_URL)) onRemote(url);
  return plain.replace(FETCHING, (found) => (found.startsWith("@") ? "@not-fetched " : "not-fetched("));
}
