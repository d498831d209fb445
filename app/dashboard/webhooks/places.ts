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

/** Whether the URL of a webhook is that of a test receiver (server/webhooks/targets/target.ts). */
export function isReceiver(url: string): boolean {
  return new URL(url).hostname.endsWith(".receiver.invalid");
}
