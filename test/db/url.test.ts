// The forms of DATABASE_URL that libpq knows, and what is refused.
import { describe, expect, it } from "vitest";
import { readDatabaseUrl } from "#db/url.ts";

const read = (url: string) => {
  const { hosts, socket, user, password, database, tls, session, parameters } = readDatabaseUrl(url);
  return {
    at: hosts.map(({ host, port }) => `${host}:${port}`),
    socket,
    user,
    password,
    database,
    tls,
    session,
    parameters,
  };
};

describe("hosts", () => {
  it.each<[url: string, at: string[]]>([
    ["postgres://db.example/mail", ["db.example:5432"]],
    ["postgresql://db.example:6000/mail", ["db.example:6000"]],
    ["postgres://a,b:6000,[::1]:7000/mail", ["a:5432", "b:6000", "::1:7000"]],
    ["postgres:///mail?host=a,b&port=1,2", ["a:1", "b:2"]],
    ["postgres:///mail?host=a,b&port=6000", ["a:6000", "b:6000"]],
    ["postgres:///mail", ["localhost:5432"]],
  ])("%s", (url, at) => expect(read(url).at).toEqual(at));

  it.each([
    ["postgres://u:p@%2Frun%2Fpg:6000/mail", "/run/pg", "/run/pg:6000"],
    ["postgres://u:p@localhost/mail?host=/run/pg&port=6000", "/run/pg", "/run/pg:6000"],
  ])("a socket: %s", (url, socket, at) => expect(read(url)).toMatchObject({ socket, at: [at] }));

  it("with several of them, standbys are never used", () => {
    expect(read("postgres://a,b/mail").session).toBe("read-write");
    expect(read("postgres://a,b/mail?target_session_attrs=any").session).toBeUndefined();
    expect(read("postgres://a/mail").session).toBeUndefined();
  });
});

it("reads user and password, with what is encoded in them", () => {
  expect(read("postgres://us%40er:p%3A%2F:w@h/n%20m?application_name=x")).toMatchObject({
    user: "us@er",
    password: "p:/:w",
    database: "n m",
    parameters: { application_name: "x" },
  });
});

describe("TLS", () => {
  it.each([
    ["", "prefer"],
    ["?sslmode=disable", "disable"],
    ["?sslmode=allow", "allow"],
    ["?ssl=true", "require"],
    ["?sslmode=verify-ca&sslrootcert=/ca.pem", "verify-ca"],
    ["?sslrootcert=system", "verify-full"],
  ])("%s is %s", (query, mode) => expect(read(`postgres://h/n${query}`).tls.mode).toBe(mode));
});

describe("is refused, without its password", () => {
  it.each([
    ["mysql://u:secret@h/n", "postgres://user:password@host"],
    ["postgres://u:secret%zz@h/n", "%25"],
    ["postgres://u:secret@h:70000/n", "a host is a name"],
    ["postgres://u:secret@h:x/n", "a host is a name"],
    ["postgres://u:secret@a,%2Frun/n", "a socket folder cannot stand in a list of hosts"],
    ["postgres://u:secret@h/n?sslmode=maybe", "sslmode is one of"],
    ["postgres://u:secret@h/n?sslmode=prefer&sslrootcert=/ca.pem", "does not check certificates"],
    ["postgres://u:secret@h/n?sslrootcert=/ca.pem", "does not check certificates"],
    ["postgres://u:secret@h/n?target_session_attrs=standby", "target_session_attrs is one of"],
    [`postgres://u:secret@${"h,".repeat(20)}h/n`, "at most 20 hosts"],
  ])("%s", (url, says) => {
    expect(() => readDatabaseUrl(url)).toThrow(says);
    expect(() => readDatabaseUrl(url)).not.toThrow("secret");
  });
});
