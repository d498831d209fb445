// Without it, Next takes that of the product, three folders above.
export function register() {}
