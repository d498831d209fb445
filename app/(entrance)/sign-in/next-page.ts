// Where to go after signing in: what `?next=` says, if it leads nowhere but into this site.
const HOME = "/dashboard";

/**
 * @param next the value of `?next=`, from anybody
 * @returns a path of this origin, beginning with one slash
 */
export function nextPage(next: string | null, origin: string): string {
  if (!next || !/^\/(?![/\\])/.test(next)) return HOME;
  // The browser's own reading decides: it drops tabs and newlines, which can make two slashes of "/\t/".
  const url = URL.parse(next, origin);
  if (!url || url.origin !== origin) return HOME;
  const path = `${url.pathname}${url.search}${url.hash}`;
  return path.startsWith("//") ? HOME : path;
}
