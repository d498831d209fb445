// Explains in one sentence why a port cannot be opened, and what to do.

const REMEDIES: Record<string, (setting: string, host: string, port: number) => string> = {
  EADDRINUSE: (setting, host, port) =>
    `${setting}: another program uses ${host}:${port}. Stop it, or set ${setting} to a free port.`,
  EACCES: (setting, _host, port) =>
    `${setting}: this user may not listen on port ${port}. Set ${setting} to a port above 1023, or grant the user the right.`,
  EADDRNOTAVAIL: (_setting, host) =>
    `HOST: ${host} is not an address of this machine. Set HOST to one of its addresses.`,
  ENOTFOUND: (_setting, host) => `HOST: the name ${host} is unknown. Set HOST to an address of this machine.`,
};

/**
 * Starts to listen.
 * @param setting the name of the port's setting
 * @throws Error that names the setting and the remedy, or the original error for another cause
 */
export async function listenAt<T>(setting: string, host: string, port: number, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    const remedy = REMEDIES[(error as NodeJS.ErrnoException).code ?? ""];
    throw remedy ? new Error(remedy(setting, host, port), { cause: error }) : error;
  }
}
