// Makes RSA key pairs for DKIM, a few at the same time: each takes a thread of the pool that the whole process shares.
import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { dkimKeys } from "#db/schema/domains.ts";
import type { Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { createLimiter } from "../../base/limiter.ts";

declare module "../../base/context.ts" {
  interface Services {
    dkimKeyMaker: DkimKeyMaker;
  }
}

/** RFC 8301 §3.2 asks for 2048 bits at least; more do not fit into one DNS answer of 512 octets. */
const KEY_BITS = 2048;
const WAITING_MAX = 32;
/** So that no organization can take the places of all others. */
const WAITING_OF_ORGANIZATION_MAX = 4;
const RETRY_AFTER_SECONDS = "2";
const generate = promisify(generateKeyPair);

type KeyPair = { publicKey: string; privateKey: string };
/**
 * @param organizationId null: for the operator
 * @throws ServiceError `unavailable` if too many keys are being made
 */
export type DkimKeyMaker = (organizationId: string | null) => Promise<KeyPair>;

/** Keys are made one after the other. */
export function createDkimKeyMaker(): DkimKeyMaker {
  const limiter = createLimiter({ total: WAITING_MAX, each: WAITING_OF_ORGANIZATION_MAX });
  let last: Promise<unknown> = Promise.resolve();
  return async (organizationId) => {
    const place = limiter.open(organizationId ?? undefined);
    if (place.take()) {
      throw new ServiceError("unavailable", "Too many DKIM keys are being made.", {
        headers: { "Retry-After": RETRY_AFTER_SECONDS },
      });
    }
    const made = last.then(makePair).finally(place.release);
    // A failed key must not fail the ones that wait for it.
    last = made.catch(() => {});
    return made;
  };
}

async function makePair(): Promise<KeyPair> {
  const { publicKey, privateKey } = await generate("rsa", {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return { publicKey: publicKey.toString("base64"), privateKey };
}

type NewKey = typeof dkimKeys.$inferInsert;

/** A row with a new key, to be inserted. `domainId`: null for DEFAULT_DOMAIN. `organizationId`: who asks for it; null: the operator. */
export async function newDkimKey(
  { dkimKeyMaker, secrets, now }: Pick<Services, "dkimKeyMaker" | "secrets" | "now">,
  key: { domainId: string | null; domain: string; organizationId: string | null } & Pick<NewKey, "selector" | "state">,
): Promise<NewKey> {
  const { publicKey, privateKey } = await dkimKeyMaker(key.organizationId);
  const id = newId();
  return {
    id,
    domain_id: key.domainId,
    domain: key.domain,
    selector: key.selector,
    public_key: publicKey,
    private_key: secrets.seal(privateKey, id),
    state: key.state,
    created_at: now(),
  };
}
