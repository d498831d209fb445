// Every procedure of the service, a line a domain. REST (/v1) and tRPC (/trpc) are two views of it.
import { authRouter, enrollRouter, keysRouter, organizationRouter } from "../enrollment/router.ts";
import { eventsRouter } from "../events/router.ts";
import { filesRouter } from "../files/router.ts";
import { inboxesRouter } from "../inboxes/router.ts";
import { messagesRouter } from "../messages/router.ts";
import { overviewRouter } from "../overview/router.ts";
import { purchaseRouter } from "../payments/router.ts";
import { repliesRouter } from "../replies/router.ts";
import { teamRouter } from "../team/router.ts";
import { threadsRouter } from "../threads/router.ts";
import { waitingRouter } from "../waiting/router.ts";
import { webhooksRouter } from "../webhooks/router.ts";
import { mergeRouters, router } from "./trpc.ts";

export const appRouter = router({
  enroll: enrollRouter,
  auth: authRouter,
  inboxes: inboxesRouter,
  messages: mergeRouters(messagesRouter, filesRouter, repliesRouter, waitingRouter),
  threads: threadsRouter,
  events: eventsRouter,
  webhooks: webhooksRouter,
  purchase: purchaseRouter,
  keys: keysRouter,
  overview: overviewRouter,
  team: teamRouter,
  organization: organizationRouter,
});

export type AppRouter = typeof appRouter;
