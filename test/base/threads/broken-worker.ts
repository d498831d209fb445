// A job for tests of the thread pool: it cannot be loaded.
export function answer(_question: object): never {
  throw new Error("was loaded");
}

throw new Error("cannot be loaded");
