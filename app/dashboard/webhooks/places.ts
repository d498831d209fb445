// Where the pages of webhooks are, and the mail that a delivery told of.

export const WEBHOOKS = "/dashboard/webhooks";
export const SIGNATURE_DEBUGGER = `${WEBHOOKS}/debugger`;

export function webhookHref(id: string): string {
  return `${WEBHOOKS}?${new URLSearchParams({ id })}`;
}

export function deliveryHref(id: string, delivery: string): string {
  return `${WEBHOOKS}?${new URLSearchParams({ id, delivery })}`;
}

export function mailHref(inbox: string, thread: string): string {
  return `/dashboard/mail?${new URLSearchParams({ inbox, thread })}`;
}
