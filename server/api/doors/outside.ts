// Finds the door of paths that are for neither agents nor members: the mail provider, apps that sign in, and the
// links of mails: approvals, addresses for notices, and unsubscription.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Client } from "../../base/client-address.ts";
import type { Services } from "../../base/context.ts";
import type { HoldBytes } from "../bodies/body-budget.ts";
import { handleNoticeAddress, isNoticeAddress } from "./notice-address-door.ts";
import { handleOAuth, isOAuth } from "./oauth-door.ts";
import { handleProviderEvent, isForProvider } from "./provider-door.ts";
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
export function openOutside(outside: Outside, req: IncomingMessage, res: ServerResponse, path: string) {
  const { services, client } = outside;
  let passed: Promise<Passed> | undefined;
  if (isForProvider(services, path)) passed = handleProviderEvent(outside, client, req, res);
  else if (isOAuth(path)) passed = handleOAuth(outside, req, res, path);
  else if (isReview(path)) passed = handleReview({ ...outside, given: { client } }, req, res, path);
  else if (isNoticeAddress(path)) passed = handleNoticeAddress({ ...outside, given: { client } }, req, res, path);
  else if (isUnsubscribe(path)) passed = handleUnsubscribe({ ...outside, given: { client } }, req, res, path);
  return passed;
}
