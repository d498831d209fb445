// The port to pictures on other servers, which a mail names. Implemented by server/adapters/http-pictures.ts.

export type Pictures = {
  /**
   * Loads the pictures of one mail, within limits of address, size and time. Never rejects: the result lacks pictures
   * that could not be loaded. Their bytes may be anything.
   * @param urls absolute, with scheme http or https
   */
  load(urls: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
};
