// Explains why a database cannot be used: what happened, in PostgreSQL's own words where there are any, and what to do.
import postgres from "postgres";
import { DEFAULT_SCHEMA } from "./client.ts";
import { readDatabaseUrl } from "./url.ts";

/** `setting`: the name of the setting that holds the URL. */
type Subject = { url: string; setting: string; schema: string };
/** Host, port and database of a URL, never its password. */
type Target = { host: string; at: string; user: string; database: string; schema: string; setting: string };
type Remedies = Record<string, (target: Target) => string>;

const CERTIFICATE = ({ at }: Target) =>
  `The certificate of ${at} is not trusted. Set sslrootcert to the file with its root certificate.`;
const NO_ANSWER = ({ at }: Target) =>
  `${at} does not answer. Check the network and the firewall, or correct host and port.`;

/** Codes of Node and of the driver. */
const UNREACHED: Remedies = {
  ENOTFOUND: ({ host }) => `The host ${host} is unknown. Correct the host name.`,
  EAI_AGAIN: ({ host }) =>
    `The host ${host} cannot be resolved now. Correct the host name, or check the DNS of this machine.`,
  ECONNREFUSED: ({ at }) => `Nothing listens at ${at}. Start PostgreSQL there, or correct host and port.`,
  ENOENT: ({ at }) => `There is no socket at ${at}. Start PostgreSQL, or correct the folder.`,
  EACCES: ({ at }) => `This user may not open the socket at ${at}. Grant access, or use a host and a port.`,
  EHOSTUNREACH: ({ at }) => `There is no route to ${at}. Check the network, or correct the host.`,
  ETIMEDOUT: NO_ANSWER,
  CONNECT_TIMEOUT: NO_ANSWER,
  TLS_REFUSED: ({ at }) => `${at} offers no TLS. Turn TLS on there, or set sslmode=prefer.`,
  TARGET_SESSION_ATTRS: ({ at }) =>
    `None of ${at} accepts writes: they are standbys. Add the primary to the hosts, or promote a standby.`,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  CERT_HAS_EXPIRED: ({ at }) => `The certificate of ${at} has expired. Renew it.`,
  ERR_TLS_CERT_ALTNAME_INVALID: ({ at }) =>
    `The certificate of ${at} is for another host. Use the host name in the certificate, or set sslmode=verify-ca.`,
};

const OWN_SCHEMA = "Set DATABASE_SCHEMA to a schema that is only for this service.";

/** Codes of PostgreSQL (SQLSTATE), which says what happened itself. */
const REFUSED: Remedies = {
  "28P01": () => "Correct user and password.",
  "28000": () => "Correct the user, or allow it in pg_hba.conf.",
  "3D000": () => "Create the database, or correct its name.",
  "42501": ({ user, database, schema }) =>
    schema === DEFAULT_SCHEMA
      ? `${user} may not create tables in ${database}. Make it the owner: alter database ${database} owner to ${user}. Or give it a schema, and set DATABASE_SCHEMA.`
      : `${user} needs a schema that it owns: create schema ${schema} authorization ${user}.`,
  "53300": () => "Raise max_connections, or lower DATABASE_POOL_SIZE.",
  "25006": () => "The service writes: name the primary, or list all hosts.",
  "57P03": () => "Start again when the server is ready.",
  "42P07": ({ schema }) => `Another application uses the schema ${schema}. ${OWN_SCHEMA}`,
  "42710": ({ schema }) => `Another application uses the schema ${schema}. ${OWN_SCHEMA}`,
  "55P03": () => "Another process uses the tables. Stop it, and start again.",
  "53100": () => "Free space on the disk of the server, and start again.",
};

const NOT_A_POOLER: Remedies["string"] = ({ setting }) =>
  setting === "DATABASE_DIRECT_URL"
    ? "Set it to PostgreSQL itself, not to a connection pooler."
    : "A connection pooler such as PgBouncer answers there. Set DATABASE_DIRECT_URL to the PostgreSQL behind it.";

function targetOf({ url, setting, schema }: Subject): Target {
  const { hosts, socket, user = "", database = user } = readDatabaseUrl(url);
  const at = socket ? `${socket}:${hosts[0]?.port}` : hosts.map(({ host, port }) => `${host}:${port}`).join(", ");
  const host = socket ?? hosts.map((place) => place.host).join(", ");
  return { host, at, user, database, schema, setting };
}

/** An error whose message is for the operator as it is. */
class DatabaseProblem extends Error {
  override readonly name = "DatabaseProblem";
}

/** What PostgreSQL said, as one sentence. */
function wordsOf({ message, detail, hint }: postgres.PostgresError): string {
  return [message, detail, hint && `Hint: ${hint}`]
    .filter(Boolean)
    .map((part) => String(part).replace(/\s+/g, " ").replace(/\.?$/, "."))
    .join(" ");
}

function remedyOf(error: postgres.PostgresError, target: Target): string {
  if (/unsupported startup parameter/.test(error.message)) return NOT_A_POOLER(target);
  // PostgreSQL takes the parameters of the URL that are not for the driver.
  if (error.code === "42704" && error.severity_local === "FATAL") return `Remove the parameter from ${target.setting}.`;
  return REFUSED[error.code]?.(target) ?? "Correct the cause, and start again.";
}

/** @returns an Error that says that the settings of a session do not reach PostgreSQL */
export function settingsLost(subject: Subject): Error {
  return new Error(
    `${subject.setting}: the settings of the session do not reach PostgreSQL at ${targetOf(subject).at}. ${NOT_A_POOLER(targetOf(subject))}`,
  );
}

/**
 * The error to show for a failed connection or migration.
 * @param migration the name of the migration that failed
 * @returns an Error that names the setting, the cause and the remedy, or the original error if it is neither of PostgreSQL nor
 * of the connection
 */
export function connectionProblem(error: unknown, subject: Subject, migration?: string): unknown {
  if (error instanceof DatabaseProblem) return error;
  const target = targetOf(subject);
  for (const link of error instanceof Error ? [error, error.cause] : []) {
    if (link instanceof postgres.PostgresError) {
      const where = migration
        ? `The migration ${migration} failed, and nothing was changed. PostgreSQL`
        : `${target.setting}: PostgreSQL at ${target.at}`;
      return new DatabaseProblem(`${where} answered: ${wordsOf(link)} ${remedyOf(link, target)}`, { cause: error });
    }
    const remedy = link instanceof Error && "code" in link ? UNREACHED[String(link.code)] : undefined;
    if (remedy) return new DatabaseProblem(`${target.setting}: ${remedy(target)}`, { cause: error });
  }
  return error;
}
