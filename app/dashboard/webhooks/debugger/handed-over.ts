// Passes an attempt to the signature debugger in memory, so that no mail is in an address or in storage.

type Handed = { header: string; body: string /** ISO 8601. */; receivedAt: string };

let handed: Handed | undefined;

export function handOver(evidence: Handed): void {
  handed = evidence;
}

/** The last attempt that was passed, once. */
export function takeHandedOver(): Handed | undefined {
  const taken = handed;
  handed = undefined;
  return taken;
}
