// One reply as a client writes it, and what is new in it.
export type ReplySample = { name: string; expected: string } & ({ text: string } | { html: string });
