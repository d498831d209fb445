// What an import must know of the service that the rows will belong to.

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
/** A row as JSON. */
export type Row = Record<string, Json>;

export type ImportRules = {
  /** What forbids the row here; `secrets` has its decrypted columns. Called once for each row, in order. */
  fault(table: string, row: Row, secrets: Record<string, string>, now: Date): string | undefined;
  /** Why no organization can hold the domain. */
  domainFault(domain: string): string | undefined;
  /** Advisory locks, in the order in which they are taken: of grants (exclusive), of addresses (shared). */
  locks: { grants: number; addresses: number };
};
