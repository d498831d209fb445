// The sender or the recipients of a message where there is place for one text: the names, or the addresses.

/** A name with an `@` could pass for the address, which is then shown instead. */
export function shortSender({ from, from_name }: { from: string; from_name: string | null }): string {
  return from_name === null || from_name.normalize("NFKC").includes("@") ? from : from_name;
}

type Sent = { to: string[]; recipients?: { address: string; name?: string | undefined }[] | undefined };

/** "To Ann Lee, bob@shop.example": the names that the header of sent mail has, or else the addresses. */
export function shortRecipients({ to, recipients = [] }: Sent): string {
  const names = new Map(recipients.map(({ address, name = null }) => [address, name]));
  const people = to.map((address) => shortSender({ from: address, from_name: names.get(address) || null }));
  return `To ${people.join(", ") || "(no recipient)"}`;
}

/** `"Ann Lee" <ann@shop.example>`: the addresses with those names, as the form for drafts takes them. */
export function namedRecipients(addresses: string[], { recipients = [] }: Pick<Sent, "recipients">): string[] {
  const names = new Map(recipients.map(({ address, name }) => [address, name?.replace(/["\\]/g, "")]));
  return addresses.map((address) => (names.get(address) ? `"${names.get(address)}" <${address}>` : address));
}
