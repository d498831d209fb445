// Chooses where the embedded server listens: a socket in its folder or in a short one, otherwise a port of 127.0.0.1.
import { createHash } from "node:crypto";
import { lchownSync, lstatSync, mkdirSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canReach, type ServerUser } from "./binaries.ts";

type Cluster = { home: string; user: ServerUser };

const PRIVATE_FOLDER_MODE = 0o700;
/** sockaddr_un.sun_path without its final zero: 103 bytes on macOS, 107 on Linux. */
const SOCKET_PATH_MAX_BYTES = 103;
const SOCKET_PORT = 5432;

/** A folder in the system's folder for temporary files, for a socket whose own path would be too long. */
function shortFolder(cluster: Cluster): string | undefined {
  // With the user id, so that a folder of another user does not conflict.
  const name = createHash("sha256")
    .update(`${cluster.home} ${cluster.user?.uid ?? ""}`)
    .digest("hex")
    .slice(0, 16);
  const folder = join(tmpdir(), `mailberth-${name}`);
  if (mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE })) {
    if (cluster.user) lchownSync(folder, cluster.user.uid, cluster.user.gid);
  }
  const { uid } = lstatSync(folder);
  // Every user can create folders there, so the owner is checked.
  return uid === (cluster.user?.uid ?? process.getuid?.()) && canReach(folder, cluster.user) ? folder : undefined;
}

function socketFolder(cluster: Cluster): string | undefined {
  const fits = (folder: string) => Buffer.byteLength(`${folder}/.s.PGSQL.${SOCKET_PORT}`) <= SOCKET_PATH_MAX_BYTES;
  if (process.platform === "win32") {
    return undefined;
  }
  const folder = fits(cluster.home) ? cluster.home : shortFolder(cluster);
  return folder !== undefined && fits(folder) ? folder : undefined;
}

/** The port of the last start if it is free, so that clients find a restarted server. */
async function freePort(wanted: number): Promise<number> {
  const server = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once("error", (error) => (wanted === 0 ? reject(error) : resolve(freePort(0))));
  server.listen(wanted, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    server.close(() => resolve(port));
  });
  return promise;
}

/** Lines of postgresql.conf. */
export async function listenSettings(cluster: Cluster, lastSettings: string): Promise<string> {
  const folder = socketFolder(cluster);
  if (folder === undefined) {
    const lastPort = Number(/^port = (\d+)/m.exec(lastSettings)?.[1] ?? 0);
    return `listen_addresses = '127.0.0.1'\nport = ${await freePort(lastPort)}\nunix_socket_directories = ''\n`;
  }
  const quoted = folder.replaceAll("\\", "\\\\").replaceAll("'", "''").replaceAll('"', '""');
  return `listen_addresses = ''\nport = ${SOCKET_PORT}\nunix_socket_directories = '"${quoted}"'\nunix_socket_permissions = 0700\n`;
}
