// What members take and give of apps that ask for access, and of connected ones.
import { z } from "zod";
import { SCOPES } from "../base/context.ts";
import { line, moment } from "../base/fields.ts";
import { APP_SCOPES } from "../organizations/oauth.ts";

const ID_CHARS = 100;
/** A signed request is as long as the URL that the app opened. */
const REQUEST_CHARS = 8_000;

const client_id = line(ID_CHARS);
/** The query of the page, which the service signed. */
const request = line(REQUEST_CHARS);

export const clientInput = z.object({ client_id });
export const clientOutput = z.object({
  name: z.string(),
  /** Scopes that the member's role may grant. */
  scopes: z.array(z.enum(APP_SCOPES)),
});

export const approveInput = z.object({
  client_id,
  request,
  /** `ekey_…`: mailboxes that the app creates count against its quota. */
  enrollment_key_id: z.string().max(ID_CHARS),
  scopes: z.array(z.enum(APP_SCOPES)).min(1),
});
export const refuseInput = z.object({ client_id, request });
/** Where the browser goes next: back to the app. */
export const answerOutput = z.object({ url: z.string() });

export const listAppsOutput = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      person: z.object({ name: z.string(), email: z.string() }),
      scopes: z.array(z.enum(SCOPES)),
      created_at: moment(),
      /** When the app last got a token; it needs a new one each hour. */
      last_token_at: moment().nullable(),
    }),
  ),
});
export const revokeInput = z.object({ id: z.string().max(ID_CHARS) });
