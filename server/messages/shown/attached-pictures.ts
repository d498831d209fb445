// The pictures that the HTML of a mail names by `cid:`, as data URLs: only parts of the same mail, and only pictures.
import type { Ctx, Member } from "../../base/context.ts";
import { decodeCid } from "../../extraction/html/safe-html.ts";
import type { MessageRow } from "../columns.ts";
import { readPictures } from "../inbound/parse-mail.ts";
import { pictureUrl } from "./picture-type.ts";

const PICTURES_MAX = 30;
const CID = /\bcid:([^"'\s<>)]{1,250})/gi;
/** The content ids in the HTML, without duplicates. */
function contentIdsIn(html: string): string[] {
  const ids = new Set<string>();
  for (const [, id = ""] of html.matchAll(CID)) {
    if (ids.size === PICTURES_MAX) break;
    ids.add(decodeCid(id));
  }
  return [...ids];
}

/** Data URLs by content id. */
export async function attachedPictures(
  ctx: Ctx<Member>,
  { id, size, direction, html }: Pick<MessageRow, "id" | "size" | "direction" | "html">,
): Promise<ReadonlyMap<string, string>> {
  const contentIds = direction === "inbound" ? contentIdsIn(html ?? "") : [];
  if (contentIds.length === 0) return new Map();
  const { organizationId } = ctx.actor;
  const files = await readPictures(ctx, { id, size, organizationId }, contentIds);
  return new Map(
    files.flatMap((bytes, at): [string, string][] => {
      const url = pictureUrl(bytes);
      return url ? [[contentIds[at] ?? "", url]] : [];
    }),
  );
}
