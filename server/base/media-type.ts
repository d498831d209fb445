// Media types of files, with their parameters (RFC 2045 §5.1): the form that is safe in a header.

/**
 * `type/subtype`, then parameters: a token or a quoted string of printable ASCII. Each character is read once. The form of RFC 2231 for other
 * letters is not taken: the composer would encode it again.
 */
export const MEDIA_TYPE =
  /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}([ \t]*;[ \t]*[\w!#$&^.+-]+=([\w!#$%&'*+.^`{|}~/:-]+|"([ !#-[\]-~]|\\[ -~])*"))*[ \t]*$/;
export const OPAQUE_TYPE = "application/octet-stream";

/** The type without parameters, in lower case. */
export function essenceOf(type: string): string {
  return (type.split(";", 1)[0] ?? "").trim().toLowerCase();
}

/** The charset that the type names; "" if it names none. */
export function charsetOf(type: string): string {
  return /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1] ?? "";
}

/** A content type from a mail, if a header can hold it. */
export function safeMediaType(type: string): string {
  return MEDIA_TYPE.test(type) ? type : OPAQUE_TYPE;
}
