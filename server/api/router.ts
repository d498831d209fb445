// Every procedure of the service, a line a domain. REST (/v1) and tRPC (/trpc) are two views of it.
import { authRouter, enrollRouter } from "../enrollment/router.ts";
import { inboxesRouter } from "../inboxes/router.ts";
import { messagesRouter } from "../messages/router.ts";
import { webhooksRouter } from "../webhooks/router.ts";
import { router } from "./trpc.ts";

export const appRouter = router({
  enroll: enrollRouter,
  auth: authRouter,
  inboxes: inboxesRouter,
  messages: messagesRouter,
  webhooks: webhooksRouter,
});

export type AppRouter = typeof appRouter;
