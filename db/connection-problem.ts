// Explains in one sentence why the database of DATABASE_URL cannot be used, and what to do.

/** Host, port and database of a URL, never its password. */
type Target = { host: string; at: string; user: string; database: string };

const REMEDIES: Record<string, (target: Target) => string> = {
  ENOTFOUND: ({ host }) => `The host ${host} is unknown. Correct the host name.`,
  EAI_AGAIN: ({ host }) =>
    `The host ${host} cannot be resolved now. Correct the host name, or check the DNS of this machine.`,
  ECONNREFUSED: ({ at }) => `Nothing listens at ${at}. Start PostgreSQL there, or correct host and port.`,
  ENOENT: ({ at }) => `There is no socket at ${at}. Start PostgreSQL, or correct the folder.`,
  EACCES: ({ at }) => `This user may not open the socket at ${at}. Grant access, or use a host and a port.`,
  EHOSTUNREACH: ({ at }) => `There is no route to ${at}. Check the network, or correct the host.`,
  ETIMEDOUT: ({ at }) => `${at} does not answer. Check the network and the firewall, or correct host and port.`,
  CONNECT_TIMEOUT: ({ at }) => `${at} does not answer. Check the network and the firewall, or correct host and port.`,
  "28P01": ({ at, user }) => `PostgreSQL at ${at} refuses the password of ${user}. Correct user and password.`,
  "28000": ({ at, user, database }) =>
    `PostgreSQL at ${at} does not admit ${user} to ${database}. Correct the user, or allow it in pg_hba.conf.`,
  "3D000": ({ at, database }) => `There is no database ${database} at ${at}. Create it, or correct the name.`,
  "42501": ({ user, database }) =>
    `${user} may not create tables in ${database}. Make it the owner: alter database ${database} owner to ${user}.`,
  "53300": ({ at }) =>
    `PostgreSQL at ${at} has no connection left. Raise max_connections, or lower DATABASE_POOL_SIZE.`,
};

function targetOf(url: string): Target {
  const { hostname, port, username, pathname, searchParams } = new URL(url);
  const host = decodeURIComponent(searchParams.get("host") ?? hostname);
  const user = decodeURIComponent(username);
  return {
    host,
    at: `${host}:${searchParams.get("port") ?? (port || "5432")}`,
    user,
    database: decodeURIComponent(pathname.slice(1)) || user,
  };
}

/**
 * The error to show for a failed connection or migration.
 * @param url see `connect` in db/client.ts
 * @returns an Error that names DATABASE_URL and the remedy, or the original error for another cause
 */
export function connectionProblem(error: unknown, url: string): unknown {
  const chain = error instanceof Error ? [error, error.cause] : [];
  for (const link of chain) {
    const remedy = link instanceof Error && "code" in link ? REMEDIES[String(link.code)] : undefined;
    if (remedy) return new Error(`DATABASE_URL: ${remedy(targetOf(url))}`, { cause: error });
  }
  return error;
}
