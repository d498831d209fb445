// Reads the URL of a PostgreSQL database in the forms that libpq knows: several hosts, socket folders, TLS modes.

const FORM = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;
const HOST_AND_PORT = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/;
const DEFAULT_PORT = 5432;
const PORT_MAX = 65_535;
const HOSTS_MAX = 20;
const TLS_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
const SESSIONS = ["any", "read-write", "primary"] as const;

type TlsMode = (typeof TLS_MODES)[number];
type SessionAttributes = (typeof SESSIONS)[number];

/** `socket`: the folder of a unix socket, instead of hosts. `parameters`: the rest, which PostgreSQL gets. */
export type DatabaseUrl = {
  hosts: { host: string; port: number }[];
  socket: string | undefined;
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  tls: { mode: TlsMode; rootCert: string | undefined; isDirect: boolean };
  session: Exclude<SessionAttributes, "any"> | undefined;
  connectTimeoutSeconds: number | undefined;
  parameters: Record<string, string>;
};

/** @throws Error that says what is wrong with the URL, without its password */
export function readDatabaseUrl(url: string): DatabaseUrl {
  const [matched, login = "", authority = "", path = "", query = ""] = FORM.exec(url) ?? [];
  if (matched === undefined) throw new Error("write it as postgres://user:password@host:5432/name");
  const colon = login.indexOf(":");
  const [user, password] = colon < 0 ? [login, ""] : [login.slice(0, colon), login.slice(colon + 1)];
  const {
    host,
    port,
    sslmode,
    ssl,
    sslrootcert,
    sslnegotiation,
    target_session_attrs,
    connect_timeout,
    ...parameters
  } = Object.fromEntries(new URLSearchParams(query));
  const ports = port?.split(",") ?? [];
  const places = (host ?? authority).split(",").map((place, at) => placeOf(place, ports[at] ?? ports[0]));
  const socket = places.find((place) => place.host.startsWith("/"))?.host;
  if (socket && places.length > 1) throw new Error("a socket folder cannot stand in a list of hosts");
  if (places.length > HOSTS_MAX) throw new Error(`at most ${HOSTS_MAX} hosts can be listed`);
  return {
    hosts: places,
    socket,
    user: decode(user) || undefined,
    password: decode(password) || undefined,
    database: decode(path) || undefined,
    tls: {
      ...tlsOf(sslmode ?? (ssl === "true" ? "require" : ssl), sslrootcert),
      isDirect: sslnegotiation === "direct",
    },
    session: sessionOf(target_session_attrs, places.length),
    connectTimeoutSeconds: Number(connect_timeout) || undefined,
    parameters,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("a % must be followed by two hexadecimal digits; write a % in a password as %25");
  }
}

function placeOf(text: string, fallback: string | undefined): { host: string; port: number } {
  const path = text.startsWith("/") ? [text, text] : undefined;
  const [matched, host = "", port = fallback] = path ?? HOST_AND_PORT.exec(text) ?? [];
  const number = port ? Number(port) : DEFAULT_PORT;
  if (matched === undefined || !Number.isInteger(number) || number > PORT_MAX) {
    throw new Error("a host is a name or an address, with or without :port; IPv6 in brackets");
  }
  return { host: decode(host).replace(/^\[|\]$/g, "") || "localhost", port: number };
}

function tlsOf(given: string | undefined, rootCert: string | undefined): Omit<DatabaseUrl["tls"], "isDirect"> {
  // As with libpq, the trusted roots of the system are for verify-full.
  const mode = TLS_MODES.find((known) => known === (given ?? (rootCert === "system" ? "verify-full" : "prefer")));
  if (!mode) throw new Error(`sslmode is one of ${TLS_MODES.join(", ")}`);
  if (rootCert && ["disable", "allow", "prefer"].includes(mode)) {
    throw new Error(`sslmode=${mode} does not check certificates. Set sslmode=verify-full, or leave out sslrootcert`);
  }
  return { mode, rootCert };
}

/** With several hosts, a standby is never used: the service writes. */
function sessionOf(given: string | undefined, hosts: number): DatabaseUrl["session"] {
  if (given === undefined) return hosts > 1 ? "read-write" : undefined;
  const session = SESSIONS.find((known) => known === given);
  if (!session) throw new Error(`target_session_attrs is one of ${SESSIONS.join(", ")}: the service writes`);
  return session === "any" ? undefined : session;
}
