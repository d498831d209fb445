// Makes and reads signed wait URLs. The signature is the only key that reading the code needs.
import type { Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { bareId, decodeId, encodeId } from "../../base/ids.ts";
import { isMac, mac } from "../../base/macs.ts";

/** The id of the lease without its kind, and its code. */
const TOKEN = /^([0-9a-z]{26})\.([0-9a-z]{16})$/;

export function waitUrl({ settings, secrets }: Pick<Services, "settings" | "secrets">, leaseId: string): string {
  const id = bareId(encodeId("ver", leaseId));
  return `${settings.PUBLIC_URL}/v1/verifications/${id}.${mac(secrets, "verification", id)}`;
}

/**
 * @returns the UUID of the lease
 * @throws ServiceError `verification_not_found` if this service did not sign the token
 */
export function readToken({ secrets }: Pick<Services, "secrets">, token: string): string {
  const [, id = "", code = ""] = TOKEN.exec(token) ?? [];
  const leaseId = decodeId("ver", `ver_${id}`);
  if (!leaseId || !isMac(secrets, "verification", { text: id, code })) throw noVerification();
  return leaseId;
}

export function noVerification(): ServiceError {
  return new ServiceError("verification_not_found", "The verification does not exist, or its mailbox was deleted.");
}
