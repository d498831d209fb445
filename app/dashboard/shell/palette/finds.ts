// What the palette finds: pages, inboxes, keys, webhooks and domains whose name contains the text, and messages.
"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { domainHref } from "../../domains/places.ts";
import { keyHref } from "../../keys/places.ts";
import { placeHref } from "../../mail/place.ts";
import { useMe } from "../../session/member.tsx";
import { useTRPC } from "../../trpc.ts";
import { webhookHref } from "../../webhooks/places.ts";
import { PLACES } from "../places.ts";
import { useFoundMessages } from "./found-messages.ts";

export type Find = { kind: string; name: string; href: string; detail?: string };

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
/** Of keys and domains, the newest are searched. */
const SEARCHED_MAX = 100;
/** What was read for one opening is good for the next. */
const FRESH_MS = 30_000;

function named(kind: string, all: { name: string; href: string }[], text: string): Find[] {
  const words = text.toLowerCase();
  return all
    .filter(({ name }) => name.toLowerCase().includes(words))
    .slice(0, SHOWN_MAX)
    .map((found) => ({ kind, ...found }));
}

const viewed = <Row>(rows: Row[] | undefined, view: (row: Row) => { name: string; href: string }) =>
  rows?.map(view) ?? [];

/** What the service has; read when there is a text. */
function useLists(text: string) {
  const trpc = useTRPC();
  const enabled = text !== "";
  const options = { enabled, staleTime: FRESH_MS };
  const inboxes = useQuery(
    trpc.inboxes.summaries.queryOptions({ q: text, limit: SHOWN_MAX }, { enabled, placeholderData: keepPreviousData }),
  );
  const keys = useQuery(trpc.keys.list.queryOptions({ limit: SEARCHED_MAX }, options));
  const webhooks = useQuery(trpc.webhooks.health.queryOptions(undefined, options));
  const domains = useQuery(trpc.domains.list.queryOptions({ limit: SEARCHED_MAX }, options));
  return { inboxes, keys, webhooks, domains };
}

/** The finds for a text, and whether more may come. */
export function useFinds(text: string): { finds: Find[]; isLoading: boolean } {
  const { payments } = useMe();
  const { inboxes, keys, webhooks, domains } = useLists(text);
  const messages = useFoundMessages(text);
  const pages = [...PLACES, ...MORE_PAGES]
    .filter(({ label }) => payments || label !== "Payments")
    .map(({ label, href }) => ({ name: label, href }));
  if (text === "") return { finds: pages.map((page) => ({ kind: "Page", ...page })), isLoading: false };
  const boxes = viewed(inboxes.data?.data, ({ address }) => ({ name: address, href: placeHref(address) }));
  return {
    finds: [
      ...named("Page", pages, text),
      // The service also finds them by their display names.
      ...boxes.map((found) => ({ kind: "Inbox", ...found })),
      ...named(
        "Key",
        viewed(keys.data?.data, ({ id, name }) => ({ name: name || id, href: keyHref(id) })),
        text,
      ),
      ...named(
        "Webhook",
        viewed(webhooks.data?.data, ({ id, url }) => ({ name: url, href: webhookHref(id) })),
        text,
      ),
      ...named(
        "Domain",
        viewed(domains.data?.data, ({ id, domain }) => ({ name: domain, href: domainHref(id) })),
        text,
      ),
      ...messages.finds.map((found) => ({ kind: "Message", ...found })),
    ],
    isLoading: messages.isLoading || [inboxes, keys, webhooks, domains].some(({ isFetching }) => isFetching),
  };
}
