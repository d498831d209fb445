// How often an open stream shows its client that the connection is still there.
export const HEARTBEAT_MS = 15_000;
