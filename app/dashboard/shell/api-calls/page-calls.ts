// Which calls of the API do what a page shows, with the ids and filters of its address.
import { readFilters } from "../../mail/list/search.ts";
import { readPlace } from "../../mail/place.ts";
import { readDeliveryFilters } from "../../webhooks/delivery-query.ts";

type Query = Pick<URLSearchParams, "get">;
/**
 * An operation of the OpenAPI document, the values of its parameters, and its body where the example of the document names things that
 * are not on the page.
 */
export type PageCall = { operation: string; values: Record<string, string>; body?: object };

const call = (
  operation: string,
  given: Record<string, string | boolean | null | undefined> = {},
  body?: object,
): PageCall => ({
  operation,
  values: Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value ? [[name, String(value)]] : []))),
  ...(body && { body }),
});

const WEBHOOK = { url: "https://agent.example/hooks/mail", events: ["message.received"] };
const ENTRY = { entry: "shop.example", reason: "Sends only advertising" };

function mailCalls(query: Query): PageCall[] {
  const { inbox, thread, ...filters } = readPlace(query);
  if (thread) {
    return [call("getThread", { id: thread }), call("listMessages", { addr: inbox, thread_id: thread })];
  }
  const wanted = readFilters(filters);
  const isFiltered = Object.keys(wanted).length > 0;
  return [
    call(isFiltered ? "listMessages" : "listThreads", { addr: inbox, ...wanted }),
    call("waitForEmail", { addr: inbox }, { timeout_seconds: 60 }),
    call("sendMessage", { addr: inbox }),
    call("getSendLimit", { addr: inbox }),
  ];
}

function webhookCalls(query: Query): PageCall[] {
  const [id, delivery_id] = [query.get("id"), query.get("delivery")];
  if (id && delivery_id) {
    return [call("getDelivery", { id, delivery_id }), call("redeliverDelivery", { id, delivery_id })];
  }
  if (!id) return [call("listWebhooks"), call("createWebhook", {}, WEBHOOK)];
  return [
    call("listDeliveries", { id, ...readDeliveryFilters(query) }),
    call("getWebhook", { id }),
    call("testWebhook", { id }),
    call("replayEvents", { id }),
  ];
}

function domainCalls(query: Query): PageCall[] {
  const domain = query.get("id");
  if (!domain) return [call("listDomains"), call("createDomain")];
  return [call("getDomain", { domain }), call("verifyDomain", { domain }), call("getDomainZoneFile", { domain })];
}

function approvalCalls(query: Query): PageCall[] {
  const id = query.get("id");
  return id ? [call("getMessage", { id })] : [call("searchMessages", { direction: "outbound" })];
}

function listCalls(query: Query): PageCall[] {
  const named = { direction: query.get("direction") ?? "send", list: query.get("list") ?? "block" };
  const inbox = query.get("inbox");
  return [
    call("listListEntries", { ...named, inbox }),
    call("createListEntry", named, { ...(inbox && { inbox }), ...ENTRY }),
  ];
}

/** The pages under settings are not listed: agents have no calls for them. */
const PAGES: Record<string, (query: Query) => PageCall[]> = {
  "/dashboard": () => [call("getCaller"), call("listEvents")],
  "/dashboard/inboxes": () => [call("listInboxes"), call("createInbox")],
  "/dashboard/mail": mailCalls,
  "/dashboard/all-mail": (query) => [call("searchMessages", { inbox: query.get("inbox") })],
  "/dashboard/outbox": () => [call("listDrafts"), call("createDraft")],
  "/dashboard/approvals": approvalCalls,
  "/dashboard/lists": listCalls,
  "/dashboard/suppressions": (query) => [
    call("listSuppressions", { address: query.get("address") }),
    call("createSuppression"),
  ],
  "/dashboard/domains": domainCalls,
  "/dashboard/webhooks": webhookCalls,
  "/dashboard/webhooks/debugger": () => [call("listWebhooks"), call("rotateWebhookSecret")],
  "/dashboard/agents": () => [call("redeemEnrollmentKey"), call("getCaller"), call("createKey")],
  "/dashboard/keys": () => [call("redeemEnrollmentKey"), call("getCaller"), call("listKeys"), call("createKey")],
  "/dashboard/payments": () => [call("listPayments"), call("purchaseMailboxes")],
};

export function callsOfPage(path: string, query: Query): PageCall[] {
  return PAGES[path]?.(query) ?? [];
}
