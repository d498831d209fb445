// Known devices: a browser that signed in to an account keeps a signed cookie, so that wrong guesses from elsewhere do
// not lock it out.
import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Services } from "../base/context.ts";

const COOKIE = "mailberth.device";
const ID_BYTES = 16;
const NAME_CHARS = 16;
const MAX_AGE_SECONDS = 31_536_000;
const VALUE = /^([\w-]{22})\.([\w-]{22})$/;

type Parts = Pick<Services, "secrets" | "settings">;

/** Identifies an account in buckets and cookies, whether or not it exists. */
export function accountHash(email: string): string {
  return hash("sha256", email.toLowerCase(), "base64url");
}

/** The device's id if the cookies hold a valid one for that account. */
export function knownDevice({ secrets }: Parts, email: string, cookies: string | undefined): string | undefined {
  const name = nameOf(email);
  const pair = cookies?.split(";").find((part) => part.trimStart().startsWith(`${name}=`));
  const [, id = "", mac = ""] = VALUE.exec(pair?.trim().slice(name.length + 1) ?? "") ?? [];
  const [given, expected] = [Buffer.from(mac, "base64url"), macOf(secrets, email, id)];
  return id !== "" && given.length === expected.length && timingSafeEqual(given, expected) ? id : undefined;
}

/**
 * The cookie for a device that just signed in.
 * @param id of a device that is already known
 */
export function deviceCookie({ secrets, settings }: Parts, email: string, id = newDeviceId()): string {
  const value = `${id}.${macOf(secrets, email, id).toString("base64url")}`;
  const secure = settings.PUBLIC_URL.startsWith("https:") ? "; Secure" : "";
  return `${nameOf(email)}=${value}; Max-Age=${MAX_AGE_SECONDS}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

function newDeviceId(): string {
  return randomBytes(ID_BYTES).toString("base64url");
}

/** One cookie for each account that signs in on this device. */
function nameOf(email: string): string {
  return `${COOKIE}-${accountHash(email).slice(0, NAME_CHARS)}`;
}

function macOf(secrets: Parts["secrets"], email: string, id: string): Buffer {
  return secrets.mac(`device:${accountHash(email)}:${id}`);
}
