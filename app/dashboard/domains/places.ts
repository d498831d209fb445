// The addresses of the domain pages.

export const DOMAINS = "/dashboard/domains";

export function domainHref(id: string): string {
  return `${DOMAINS}?${new URLSearchParams({ id })}`;
}
