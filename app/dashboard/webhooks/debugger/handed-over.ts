// What an attempt's page hands to the signature debugger: in memory alone, so that no mail stands in an address or a storage.

type Handed = { header: string; body: string /** ISO 8601. */; receivedAt: string };

let handed: Handed | undefined;

export function handOver(evidence: Handed): void {
  handed = evidence;
}

/** What was handed over last, once. */
export function takeHandedOver(): Handed | undefined {
  const taken = handed;
  handed = undefined;
  return taken;
}
