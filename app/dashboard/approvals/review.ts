// The types of a held message and of its revisions.
import type { Outputs } from "../trpc.ts";

export type Review = Outputs["reviews"]["get"];
export type Revision = Review["revisions"][number];
