// Loads the pictures that the HTML of a mail names from other servers, when a member asks for them.
import type { Ctx, Member } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { remotePicturesIn } from "../../extraction/html/safe-html.ts";
import type { Pictures } from "../../ports/pictures.ts";
import { pictureUrl } from "./picture-type.ts";

declare module "../../base/context.ts" {
  interface Services {
    remotePictures: Pictures;
    /** Mails whose remote pictures are being loaded, by organization. */
    picturesLoading: Map<string, number>;
  }
}

const PICTURES_MAX = 30;
/** Mails at the same time in this process, and of one organization: each may hold some MiB. */
const MAILS_MAX = 12;
const MAILS_OF_ORGANIZATION_MAX = 3;

/** @throws ServiceError `rate_limited` */
function takePlace({ picturesLoading, actor: { organizationId } }: Ctx<Member>): () => void {
  const all = [...picturesLoading.values()].reduce((sum, count) => sum + count, 0);
  const own = picturesLoading.get(organizationId) ?? 0;
  if (all >= MAILS_MAX || own >= MAILS_OF_ORGANIZATION_MAX) {
    throw new ServiceError("rate_limited", "The remote images of too many mails are being loaded.", {
      headers: { "Retry-After": "2" },
    });
  }
  picturesLoading.set(organizationId, own + 1);
  return () => {
    const left = (picturesLoading.get(organizationId) ?? 1) - 1;
    if (left > 0) picturesLoading.set(organizationId, left);
    else picturesLoading.delete(organizationId);
  };
}

/**
 * Data URLs by address.
 * @throws ServiceError `rate_limited` if the pictures of too many mails are being loaded
 */
export async function remotePictures(ctx: Ctx<Member>, html: string): Promise<ReadonlyMap<string, string>> {
  const urls = (await remotePicturesIn(html)).slice(0, PICTURES_MAX);
  if (urls.length === 0) return new Map();
  const leave = takePlace(ctx);
  try {
    const loaded = await ctx.remotePictures.load(urls);
    return new Map(
      [...loaded].flatMap(([url, bytes]): [string, string][] => {
        const shown = pictureUrl(bytes);
        return shown ? [[url, shown]] : [];
      }),
    );
  } finally {
    leave();
  }
}
