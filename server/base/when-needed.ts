// Makes a value when it is first asked for.

/** @returns a function to the value that `make` returns; it is called at most once, unless it throws */
export function whenNeeded<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
