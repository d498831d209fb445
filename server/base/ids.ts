// Converts ids: TypeIDs (kind prefix + UUIDv7 in base32) in the API, UUIDs in the service and the database.
import { hash } from "node:crypto";
import { fromString, fromUUID, getSuffix, getType, toUUID } from "typeid-js";
import { v7 } from "uuid";

export type IdKind =
  | "org"
  | "ekey"
  | "agt"
  | "akey"
  | "inb"
  | "thr"
  | "msg"
  | "att"
  | "whk"
  | "dlv"
  | "evt"
  | "pay"
  | "usr"
  | "aud"
  | "dom"
  | "ver"
  | "app"
  | "drf"
  | "ntr"
  | "upl"
  | "act";

/** A new UUIDv7: time-ordered, and increasing within one process even in the same millisecond. */
export function newId(): string {
  return v7();
}

/** A UUIDv7 that sorts among those of a time in the past, in ms. */
export function newIdAt(ms: number): string {
  return v7({ msecs: ms });
}

/** The UUIDv8 of a text: the same text has the same one. */
export function hashedId(text: string): string {
  const hex = hash("sha256", text, "hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** `encodeId("inb", uuid)` → `inb_01h455vb4pex5vsknk084sn02q`. */
export function encodeId(kind: IdKind, uuid: string): string {
  return fromUUID(uuid, kind);
}

/** Of an id without its kind. */
export const ID_CHARS = 26;

/** An id of the API without its kind: the part behind `_`. */
export function bareId(wireId: string): string {
  return wireId.slice(-ID_CHARS);
}

/** The UUID of an API id, or undefined if the text is not an id of that kind. */
export function decodeId(kind: IdKind, text: string): string | undefined {
  // Callers usually pass addresses here, and an exception is much slower than this check.
  if (!text.startsWith(`${kind}_`)) return;
  try {
    const id = fromString(text);
    return getType(id) === kind && getSuffix(id).length > 0 ? toUUID(id) : undefined;
  } catch {
    return undefined; // typeid-js throws for malformed text, which is not an id of this service
  }
}
