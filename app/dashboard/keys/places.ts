// The addresses of the key pages.

export const KEYS = "/dashboard/keys";

export function keyHref(id: string): string {
  return `${KEYS}?${new URLSearchParams({ id })}`;
}
