// The addresses of the key pages.

export const KEYS = "/dashboard/keys";

export function activityHref(keyId: string, agentKeyId: string): string {
  return `${KEYS}?${new URLSearchParams({ id: keyId, agent_key: agentKeyId })}`;
}

export function keyHref(id: string): string {
  return `${KEYS}?${new URLSearchParams({ id })}`;
}
