// Posts a text to the incoming webhook of a chat, in the format of Slack, which Mattermost, Rocket.Chat and others take
// too. The URL has the limits of a webhook's: the same addresses, ports and requests per second.
import type { Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { takeToken } from "../../base/token-bucket.ts";
import { dashboardUrl } from "../../system-mail/write.ts";
import { createPoster, isSuccess } from "../delivery/post.ts";
import { dialFor } from "../targets/dial.ts";
import { bucketOf } from "../targets/origin-rate.ts";
import { checkWebhookUrl } from "../targets/target.ts";

declare module "../../base/context.ts" {
  interface Services {
    chat: Chat;
  }
}

/** Shorter than the time in which a process stops. */
export const CHAT_TIMEOUT_MS = 5_000;
const TEXT_MAX_CHARS = 3_000;
/** The chat or its network may answer later. */
const TEMPORARY = new Set([408, 425, 429]);
const SERVER_ERROR = 500;

type Place = { url: string; organizationId: string };
/** `refused` is final. */
type ChatOutcome = { outcome: "sent" } | { outcome: "retry" | "refused"; error: string };
type Chat = {
  /** Never rejects. */
  post(to: Place, notice: { subject: string; text: string }): Promise<ChatOutcome>;
  close(): Promise<void>;
};

/** Strangers write parts of it: it mentions no one, hides no link behind other words, and does not end the block. */
function plain(text: string): string {
  return text
    .replaceAll("`", "'")
    .replaceAll(/@(?=all\b|channel\b|here\b|everyone\b)/gi, "@\u200b")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

function bodyOf(notice: { subject: string; text: string }, home: string): string {
  const text = notice.text.slice(0, TEXT_MAX_CHARS).toWellFormed().trim();
  return JSON.stringify({
    text: `${plain(notice.subject.slice(0, TEXT_MAX_CHARS))}\n\`\`\`\n${plain(text)}\n\`\`\`\n${home}`,
  });
}

export function createChat(services: Pick<Services, "settings" | "ownPorts" | "originRates">): Chat {
  const poster = createPoster(dialFor(services, CHAT_TIMEOUT_MS), CHAT_TIMEOUT_MS);
  return {
    async post({ url, organizationId }, notice) {
      const problem = problemOf(services, url);
      if (problem) return problem;
      const { origin, pathname, search } = new URL(url);
      const headers = ["Content-Type", "application/json"];
      const target = { origin, path: pathname + search, organization_id: organizationId };
      const { status, error } = await poster.post(
        target,
        headers,
        bodyOf(notice, dashboardUrl(services.settings, organizationId)),
      );
      if (isSuccess(status)) return { outcome: "sent" };
      const isTemporary = status === null || status >= SERVER_ERROR || TEMPORARY.has(status);
      return { outcome: isTemporary ? "retry" : "refused", error: error ?? `the chat answered ${status}` };
    },
    close: () => poster.close(),
  };
}

/** Settings may have become stricter since the URL was stored. */
function problemOf(services: Parameters<typeof createChat>[0], url: string): ChatOutcome | undefined {
  try {
    checkWebhookUrl(url, services);
  } catch (error) {
    if (error instanceof ServiceError) return { outcome: "refused", error: error.message };
    throw error;
  }
  const now = performance.now();
  const { originRates } = services;
  if (takeToken(originRates, bucketOf(originRates, new URL(url).origin, now), now)) return undefined;
  return { outcome: "retry", error: "the host of the chat has reached its limit of requests per second" };
}
