// The search index of the guides, made by the build.
import { buildSearchIndex } from "../content/search-index.ts";

export const dynamic = "force-static";

export function GET(): Response {
  return Response.json(buildSearchIndex());
}
