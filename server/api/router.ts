// All procedures of the service, by domain. REST (/v1) and tRPC (/trpc) are two views of them.
import { callsRouter } from "../calls/router.ts";
import { domainsRouter } from "../domains/router.ts";
import { eventsRouter } from "../events/router.ts";
import { createRouter } from "../inboxes/create-router.ts";
import { inboxesRouter } from "../inboxes/router.ts";
import { appsRouter } from "../keys/apps/router.ts";
import { issuedKeysRouter } from "../keys/issued/router.ts";
import { authRouter, enrollRouter, keysRouter } from "../keys/router.ts";
import { attachmentTextRouter } from "../messages/attachment-text/router.ts";
import { filesRouter } from "../messages/files/router.ts";
import { importRouter } from "../messages/import/router.ts";
import { quarantineRouter } from "../messages/quarantine/router.ts";
import { shownRouter } from "../messages/render/router.ts";
import { messagesRouter } from "../messages/router.ts";
import { threadsRouter } from "../messages/threads/router.ts";
import { trashRouter } from "../messages/trash/router.ts";
import { verificationsRouter } from "../messages/verifications/router.ts";
import { waitingRouter } from "../messages/wait/router.ts";
import { noticesRouter } from "../organizations/notices/router.ts";
import { organizationRouter, teamRouter } from "../organizations/router.ts";
import { agentsRouter, inboxSummariesRouter, overviewRouter } from "../overview/router.ts";
import { purchaseRouter } from "../payments/router.ts";
import { mergeRouters, router } from "../procedures/procedures.ts";
import {
  inboxPausesRouter,
  issuedKeyPausesRouter,
  keyPausesRouter,
  organizationPausesRouter,
  sendLimitRouter,
} from "../recipients/limits/router.ts";
import { listsRouter } from "../recipients/lists/router.ts";
import { suppressionsRouter } from "../recipients/suppressions/router.ts";
import { draftsRouter } from "../sending/drafts/router.ts";
import { dryRunRouter } from "../sending/dry-run/router.ts";
import { reviewsRouter } from "../sending/reviews/router.ts";
import { sendingRouter } from "../sending/router.ts";
import { scheduledRouter } from "../sending/scheduled/router.ts";
import { undoRouter } from "../undo/router.ts";
import { uploadsRouter } from "../uploads/router.ts";
import { receiversRouter } from "../webhooks/receivers/router.ts";
import { webhooksRouter } from "../webhooks/router.ts";

export const appRouter = router({
  enroll: enrollRouter,
  auth: authRouter,
  inboxes: mergeRouters(createRouter, inboxesRouter, inboxSummariesRouter, inboxPausesRouter),
  messages: mergeRouters(
    sendingRouter,
    dryRunRouter,
    sendLimitRouter,
    messagesRouter,
    quarantineRouter,
    importRouter,
    filesRouter,
    shownRouter,
    attachmentTextRouter,
    scheduledRouter,
    waitingRouter,
  ),
  threads: threadsRouter,
  trash: trashRouter,
  verifications: verificationsRouter,
  drafts: draftsRouter,
  uploads: uploadsRouter,
  suppressions: suppressionsRouter,
  lists: listsRouter,
  reviews: reviewsRouter,
  domains: domainsRouter,
  events: eventsRouter,
  webhooks: mergeRouters(webhooksRouter, receiversRouter),
  purchase: purchaseRouter,
  keys: mergeRouters(keysRouter, keyPausesRouter, undoRouter),
  issuedKeys: mergeRouters(issuedKeysRouter, issuedKeyPausesRouter),
  overview: overviewRouter,
  agents: agentsRouter,
  team: teamRouter,
  organization: mergeRouters(organizationRouter, organizationPausesRouter),
  notices: noticesRouter,
  apps: appsRouter,
  calls: callsRouter,
});

export type AppRouter = typeof appRouter;
