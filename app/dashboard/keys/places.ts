// Where the pages of keys are.

export const KEYS = "/dashboard/keys";

export function keyHref(id: string): string {
  return `${KEYS}?${new URLSearchParams({ id })}`;
}
