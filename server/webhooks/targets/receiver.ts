// The addresses of test receivers. A receiver is a webhook without an endpoint: the engine signs its deliveries, writes
// them to the log and answers them here, so that no request leaves the process.
const DOMAIN = "receiver.invalid";

/** No other webhook can have it: `.invalid` never resolves (RFC 6761), and the service refuses it as a URL. */
export function receiverUrl(webhookId: string): string {
  return `https://${webhookId}.${DOMAIN}/`;
}

/** @param host in lower case, without a trailing dot; or an origin without a port */
export function isReceiverHost(host: string): boolean {
  return host === DOMAIN || host.endsWith(`.${DOMAIN}`);
}
