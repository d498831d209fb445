// Chooses the page after signing in: `?next=`, if it stays on this site.
const HOME = "/dashboard";

/**
 * @param next the value of `?next=`, untrusted
 * @returns a path of this origin, starting with one slash
 */
export function nextPage(next: string | null, origin: string): string {
  if (!next || !/^\/(?![/\\])/.test(next)) return HOME;
  // Uses the browser's own parser, which drops tabs and newlines, so that "/\\t/" could become two slashes.
  const url = URL.parse(next, origin);
  if (!url || url.origin !== origin) return HOME;
  const path = `${url.pathname}${url.search}${url.hash}`;
  return path.startsWith("//") ? HOME : path;
}
