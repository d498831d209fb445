// The sender of a message where there is place for one text: the name, or the address.

/** A name with an `@` could pass for the address, which is then shown instead. */
export function shortSender({ from, from_name }: { from: string; from_name: string | null }): string {
  return from_name === null || from_name.normalize("NFKC").includes("@") ? from : from_name;
}
