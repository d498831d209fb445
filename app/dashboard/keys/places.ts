// The addresses of the pages of keys and agents.

export const KEYS = "/dashboard/keys";

export function activityHref(keyId: string, agentKeyId: string): string {
  return `${KEYS}?${new URLSearchParams({ id: keyId, agent_key: agentKeyId })}`;
}

/** The API calls with an agent key. */
export function callsHref(agentKeyId: string): string {
  return `/dashboard/calls?${new URLSearchParams({ id: agentKeyId })}`;
}

export function keyHref(id: string): string {
  return `${KEYS}?${new URLSearchParams({ id })}`;
}

export const AGENTS = "/dashboard/agents";

export function agentHref(id: string): string {
  return `${AGENTS}?${new URLSearchParams({ id })}`;
}
