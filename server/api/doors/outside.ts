// Finds the door of paths that are for neither agents nor members: the mail provider, apps that sign in, mail servers that ask
// for a policy, and the links of mails: approvals, addresses for notices, and unsubscription.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Client } from "../../base/client-address.ts";
import type { Services } from "../../base/context.ts";
import type { HoldBytes } from "../bodies/body-budget.ts";
import { handleMtaSts, MTA_STS_PATH } from "./mta-sts-door.ts";
import { handleNoticeAddress, isNoticeAddress } from "./notice-address-door.ts";
import { handleOAuth, isOAuth } from "./oauth-door.ts";
import { handleProviderEvents, providerAt } from "./provider-door.ts";
import { handleReview, isReview } from "./review-door.ts";
import { handleUnsubscribe, isUnsubscribe } from "./unsubscribe-door.ts";

export type Outside = {
  services: Services;
  limits: { takeAnonymous(network: string): void; takeRegistration(network: string): void };
  holdFor(res: ServerResponse, holder: string): HoldBytes;
  client: Client;
};
type Passed = { door: string; route: string };

/** @returns undefined for every other path */
export function openOutside(
  outside: Outside,
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
): Promise<Passed> | undefined {
  const provider = providerAt(path, outside.services);
  if (provider) return handleProviderEvents(outside, provider, req, res);
  if (path === MTA_STS_PATH) return handleMtaSts(outside, req, res);
  if (isOAuth(path)) return handleOAuth(outside, req, res, path);
  if (isReview(path)) return handleReview(outside, req, res, path);
  if (isNoticeAddress(path)) return handleNoticeAddress(outside, req, res, path);
  if (isUnsubscribe(path)) return handleUnsubscribe(outside, req, res, path);
  return undefined;
}
