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

/** Of the name of a member, and of the whole path, in a refusal. */
const NAME_BYTES = 100;
const PATH_CHARS = 300;

const QUOTE = 0x22;
const COLON = 0x3a;
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
    if (values > MAX_VALUES) {
      throw refusal(`made of more than ${MAX_VALUES} members and elements`, pathOfContainer(json, at));
    }
  }
}

/** The position of the quote that ends the string starting at `from`. */
function endOfString(json: Buffer, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** The list or object around a position, as issues name fields: `attachments.0.content`. Empty: the outermost one. */
function pathOfContainer(json: Buffer, end: number): string {
  const path: (string | number)[] = [];
  let name = "";
  for (let at = 0; at < end; at += 1) {
    const byte = json[at];
    const place = path.at(-1);
    if (byte === QUOTE) {
      const from = at + 1;
      at = endOfString(json, at);
      name = json.toString("utf8", from, Math.min(at, from + NAME_BYTES));
    } else if (byte === COLON) path[path.length - 1] = name;
    else if (byte === COMMA && typeof place === "number") path[path.length - 1] = place + 1;
    else if (byte === OPEN_ARRAY) path.push(0);
    else if (byte === OPEN_OBJECT) path.push("");
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) path.pop();
  }
  return path.slice(0, -1).join(".").slice(0, PATH_CHARS);
}

function refusal(what: string, path = ""): ServiceError {
  const issues = [{ path, message: `must not be ${what}` }];
  const where = path === "" ? "" : `, the last of them in ${path}`;
  return new ServiceError("invalid_request", `The JSON is ${what}${where}. Send a simpler request.`, { issues });
}
