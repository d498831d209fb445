// The addresses of the webhook pages, and of the mail of a delivery.

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
