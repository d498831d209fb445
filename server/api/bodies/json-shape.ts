// Limits the shape of JSON before it is parsed, in one pass over the bytes, without allocation.
import { ServiceError } from "../../base/errors.ts";

// Refuses NUL in what goes to better-auth, which passes texts to PostgreSQL as they are. PostgreSQL stores no NUL.
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

const MAX_DEPTH = 64;
/** Members and elements in total. The largest valid request has a few hundred. */
const MAX_VALUES = 20_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * @param json UTF-8, valid JSON or not: brackets and commas outside strings are counted
 * @throws ServiceError `invalid_request` if it is nested deeper than MAX_DEPTH or has more than MAX_VALUES
 */
export function checkJsonShape(json: Buffer): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at);
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > MAX_DEPTH) throw refusal(`nested deeper than ${MAX_DEPTH} levels`);
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
    if (values > MAX_VALUES) throw refusal(`made of more than ${MAX_VALUES} members and elements`);
  }
}

/** The position of the quote that ends the string starting at `from`. */
function endOfString(json: Buffer, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

function refusal(what: string): ServiceError {
  const issues = [{ path: "", message: `must not be ${what}` }];
  return new ServiceError("invalid_request", `The JSON is ${what}. Send a simpler request.`, { issues });
}
