// What the palette finds: actions, pages, inboxes, keys, agents, webhooks and domains whose name contains the text, messages, guides and calls.
"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { domainHref } from "../../domains/places.ts";
import { agentHref, keyHref } from "../../keys/places.ts";
import { placeHref } from "../../mail/place.ts";
import { useMe } from "../../session/member.tsx";
import { useTRPC } from "../../trpc.ts";
import { webhookHref } from "../../webhooks/places.ts";
import { PLACES } from "../places.ts";
import { type Action, useActions } from "./actions.tsx";
import { useFoundMessages } from "./found-messages.ts";
import { useReading } from "./reading.ts";

/** Opens `href`, or does `action`. */
export type Find = { kind: string; name: string; href: string; detail?: string; action?: Action };

const MORE_PAGES = [
  { href: "/dashboard/settings/team", label: "Team" },
  { href: "/dashboard/settings/notices", label: "Notices" },
  { href: "/dashboard/settings/apps", label: "Connected apps" },
  { href: "/dashboard/settings/audit", label: "Audit log" },
  { href: "/dashboard/settings/service", label: "Service" },
  { href: "/dashboard/webhooks/debugger", label: "Signature debugger" },
  { href: "/docs", label: "API reference" },
  { href: "/guides", label: "Guides" },
];
const SHOWN_MAX = 5;

/** What the service finds for a text; the finds before it stay until there are others. */
function useService(text: string) {
  const trpc = useTRPC();
  const options = { enabled: text !== "", placeholderData: keepPreviousData } as const;
  const inboxes = useQuery(trpc.inboxes.summaries.queryOptions({ q: text, limit: SHOWN_MAX }, options));
  const named = useQuery(trpc.overview.find.queryOptions({ q: text }, options));
  return { inboxes, named };
}

/** The finds for a text, and whether more may come. */
export function useFinds(text: string): { finds: Find[]; isLoading: boolean } {
  const { payments } = useMe();
  const { inboxes, named } = useService(text);
  const messages = useFoundMessages(text);
  const actions = useActions(text).map((action) => ({
    kind: "Action",
    name: action.name,
    href: action.href ?? "",
    action,
  }));
  const reading = useReading(text);
  const pages = [...PLACES, ...MORE_PAGES]
    .filter(({ label }) => payments || label !== "Payments")
    .map(({ label, href }): Find => ({ kind: "Page", name: label, href }));
  if (text === "") return { finds: pages, isLoading: false };
  const words = text.toLowerCase();
  // While the service searches, what it found for the text before is still there.
  const matches = (name: string) => name.toLowerCase().includes(words);
  const { keys = [], agents = [], webhooks = [], domains = [] } = named.data ?? {};
  return {
    finds: [
      ...actions.slice(0, SHOWN_MAX),
      ...pages.filter(({ name }) => matches(name)).slice(0, SHOWN_MAX),
      // The service also finds them by their display names.
      ...(inboxes.data?.data ?? []).map(({ address }) => ({ kind: "Inbox", name: address, href: placeHref(address) })),
      ...keys.filter(({ name }) => matches(name)).map(({ id, name }) => ({ kind: "Key", name, href: keyHref(id) })),
      ...agents
        .filter(({ name }) => matches(name))
        .map(({ id, name }) => ({ kind: "Agent", name, href: agentHref(id) })),
      ...webhooks
        .filter(({ url }) => matches(url))
        .map(({ id, url }) => ({ kind: "Webhook", name: url, href: webhookHref(id) })),
      ...domains
        .filter(({ domain }) => matches(domain))
        .map(({ id, domain }) => ({ kind: "Domain", name: domain, href: domainHref(id) })),
      ...messages.finds.map((found) => ({ kind: "Message", ...found })),
      ...reading.finds,
    ],
    isLoading: reading.isLoading || messages.isLoading || inboxes.isFetching || named.isFetching,
  };
}
