// Removes all requests from the CSS of a mail, by replacing names of remote resources with an unknown one.

/** Functions and rules that fetch. Escapes are decoded before, so there is no other spelling. */
const FETCHING = /\b(?:url|src|image|image-set|cross-fade|element|paint)\(|@(?:import|font-face|namespace|charset)\b/gi;
const REMOTE_URL = /(?:\burl\(|@import\b)\s{0,20}["']?\s{0,20}((?:https?:)?\/\/[^\s"')]{1,2048})/gi;
/** `<` ends a <style> element, `\` can hide text, `expression` and `behavior` were scripts in old browsers. */
const NEVER = /[<\\\0]|\bexpression\s*\(|\b(?:behavior|-moz-binding)\s*:/gi;

/**
 * @param css of a style sheet or a style attribute
 * @param onRemote receives each address that it would have fetched
 */
export function safeCss(css: string, onRemote: (url: string) => void): string {
  const plain = css.replace(NEVER, "");
  for (const [, url = ""] of plain.matchAll(REMOTE_URL)) onRemote(url);
  return plain.replace(FETCHING, (found) => (found.startsWith("@") ? "@not-fetched " : "not-fetched("));
}
