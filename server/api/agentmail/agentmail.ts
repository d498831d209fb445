// The API of AgentMail, as its npm package agentmail 0.5.27 calls it.
import type { Vendor } from "../compat/route.ts";
import { accountRoutes, requirePod, SIGN_UP } from "./account.ts";
import { domainRoutes } from "./domains.ts";
import { draftRoutes } from "./drafts.ts";
import { inboxRoutes } from "./inboxes.ts";
import { keyRoutes } from "./keys.ts";
import { listRoutes } from "./lists.ts";
import { messageRoutes } from "./messages.ts";
import { metricRoutes } from "./metrics.ts";
import { refusal, WORDS } from "./parts.ts";
import { serveEvents } from "./socket.ts";
import { threadRoutes } from "./threads.ts";
import { webhookRoutes } from "./webhooks.ts";

/** What is in a pod is at the same path without it. */
const IN_POD = /^\/v0\/pods\/([^/]+)(\/.+)$/;

export const agentmail: Vendor = {
  routes: [
    ...inboxRoutes,
    ...messageRoutes,
    ...threadRoutes,
    ...draftRoutes,
    ...webhookRoutes,
    ...domainRoutes,
    ...listRoutes,
    ...keyRoutes,
    ...metricRoutes,
    ...accountRoutes,
  ],
  words: WORDS,
  withoutKey: [["POST", "/v0/agent/sign-up", SIGN_UP]],
  refusal,
  plainPath(path, { organizationId }) {
    const [, pod = "", rest = ""] = IN_POD.exec(path) ?? [];
    if (rest === "") return path;
    requirePod(pod, organizationId);
    return `/v0${rest}`;
  },
  socket: { path: "/v0", serve: serveEvents },
};
