// Refuses NUL in what goes to better-auth, which passes texts to PostgreSQL as they are. PostgreSQL stores no NUL.
import { ServiceError } from "../../base/errors.ts";

const NUL = {
  /** As forms and queries write it. */
  form: /%00|\0/,
  /** After an even number of backslashes, of which each pair is one in the text. */
  json: /(?<!\\)(?:\\\\)*\\u0000/,
};

/**
 * @returns the text
 * @throws ServiceError `invalid_request`
 */
export function withoutNul(kind: keyof typeof NUL, text: string): string {
  if (!NUL[kind].test(text)) return text;
  throw new ServiceError("invalid_request", "A field holds NUL. Send it without this character.");
}
