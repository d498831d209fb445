// How often a page reads its data again where no event says that it changed. Only while the page is visible.

export const LOOK_AGAIN_MS = 15_000;
/** Each reading loads all pages of a list again. */
const PAGES_MAX = 2;

type Listing = { state: { data: { pages: unknown[] } | undefined } };

/** For `refetchInterval` of a list that loads more rows on request. */
export function lookAgainAtList({ state }: Listing): number | false {
  return (state.data?.pages.length ?? 0) <= PAGES_MAX ? LOOK_AGAIN_MS : false;
}
