// The limits of every HTTP server that takes requests for the API, in the names of Node's server options.

export const HTTP_LIMITS = { maxHeaderSize: 32_768, keepAliveTimeout: 65_000, requestTimeout: 120_000 };
