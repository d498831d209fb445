// The files that start the service for operators name settings, files, ports and commands that exist.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readSettings, SETTING_NAMES } from "#server/base/env.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFile(join(ROOT, path), "utf8");
/** Of Node.js and of PostgreSQL's image. */
const OTHER_NAMES = ["NODE_ENV"];

type Service = {
  environment?: Record<string, string>;
  image: string;
  ports?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  volumes?: string[];
  tmpfs?: string[];
};

const unknownSettings = (names: string[]) =>
  names.filter((name) => !(SETTING_NAMES as string[]).includes(name) && !OTHER_NAMES.includes(name));

describe("ops/compose.yaml", async () => {
  const { services } = parse(await read("ops/compose.yaml"), { merge: true }) as { services: Record<string, Service> };
  const own = ["web", "smtp", "worker"];

  test("has one process for each role, with settings that exist and without rights", () => {
    expect(Object.keys(services)).toEqual(["postgres", ...own, "caddy"]);
    for (const role of own) {
      const { environment = {}, read_only, cap_drop } = services[role] ?? { image: "" };
      expect(unknownSettings(Object.keys(environment))).toEqual([]);
      expect([environment.ROLES, read_only, cap_drop]).toEqual([role, true, ["ALL"]]);
    }
  });

  test("has a volume for what the service keeps, since a tmpfs would belong to root", () => {
    for (const role of own) {
      const { volumes, tmpfs } = services[role] ?? { image: "" };
      expect([volumes, tmpfs]).toEqual([["data:/var/lib/mailberth"], ["/tmp"]]);
    }
  });

  test("has settings that the service accepts", () => {
    const values = {
      POSTGRES_PASSWORD: "x",
      ENCRYPTION_KEY: Buffer.alloc(32).toString("base64"),
      PUBLIC_HOST: "mail.example.com",
      DEFAULT_DOMAIN: "agents.example.com",
      METRICS_TOKEN: "m".repeat(64),
    } as Record<string, string>;
    const environment = Object.fromEntries(
      Object.entries(services.web?.environment ?? {}).map(([name, text]) => [
        name,
        text.replaceAll(
          /\$\{(\w+)(?::-(.*?)|:\?[^}]*)?\}/g,
          (_, key: string, otherwise = "") => values[key] ?? otherwise,
        ),
      ]),
    );
    const settings = readSettings({ ...environment, HOST: "0.0.0.0" });
    expect(settings).toMatchObject({ PUBLIC_URL: "https://mail.example.com", ROLES: ["web"] });
    expect(settings.TRUST_PROXY).toHaveLength(1);
  });

  test("mounts files that exist", () => {
    for (const volume of services.caddy?.volumes ?? []) {
      const [path = ""] = volume.split(":");
      if (path.startsWith(".")) expect([path, existsSync(join(ROOT, "ops", path))]).toEqual([path, true]);
    }
  });
});

test("ops/helm names settings that exist, and the version of the package", async () => {
  const schema = JSON.parse(await read("ops/helm/values.schema.json"));
  const own: string[] = schema.properties.settings.propertyNames.not.enum;
  const template = await read("ops/helm/templates/deployments.yaml");
  const set = [...template.matchAll(/\{ name: ([A-Z_]+), value: /g)].map(([, name = ""]) => name);
  expect(set.length).toBeGreaterThan(2);
  expect(unknownSettings([...own, ...set])).toEqual([]);
  const { version } = JSON.parse(await read("package.json"));
  expect(parse(await read("ops/helm/Chart.yaml"))).toMatchObject({ version, appVersion: version });
});

test("ops/Containerfile runs without root, with settings that exist and a health check of a path that exists", async () => {
  const text = await read("ops/Containerfile");
  const [, final = ""] = text.split(/^FROM .* AS build$/m);
  const env = [...final.matchAll(/^ENV (.+)$/gm)].flatMap(([, line = ""]) =>
    line.split(" ").map((pair) => pair.split("=", 1)[0] ?? ""),
  );
  expect(env.length).toBeGreaterThan(3);
  expect(unknownSettings(env)).toEqual([]);
  expect(final).toMatch(/^USER 10001:10001$/m);
  expect(final).toMatch(/^HEALTHCHECK [\s\S]+\/health\/live/m);
  expect(existsSync(join(ROOT, "client/command/main.ts"))).toBe(true);
  expect(final).toContain("/opt/mailberth/node_modules/mailberth/client/command/main.js");
});

test("ops/mailberth.service has settings that exist, no root and nothing writable but its data", async () => {
  const unit = await read("ops/mailberth.service");
  const [, env = ""] = /^Environment=(.+)$/m.exec(unit) ?? [];
  expect(unknownSettings(env.split(" ").map((pair) => pair.split("=", 1)[0] ?? ""))).toEqual([]);
  for (const line of ["User=mailberth", "ProtectSystem=strict", "NoNewPrivileges=yes", "StateDirectory=mailberth"]) {
    expect(unit.split("\n")).toContain(line);
  }
});

describe("ops/nginx.conf and ops/Caddyfile", () => {
  test.each(["ops/nginx.conf", "ops/Caddyfile"])(
    "%s waits longer than any call, and keeps /metrics closed",
    async (path) => {
      const text = await read(path);
      const [, seconds = "0"] = /read_timeout (\d+)s/.exec(text) ?? [];
      expect(Number(seconds)).toBeGreaterThan(600);
      expect(text).toContain("/metrics");
      expect(text).toMatch(/40m|40MiB/);
    },
  );
});

test("docs/guides/deploy.md names files of ops/ that exist", async () => {
  const named = [...(await read("docs/guides/deploy.md")).matchAll(/(?<!\/)ops\/[\w.]*\w/g)].map(([path]) => path);
  expect(new Set(named).size).toBeGreaterThan(3);
  expect(named.filter((path) => path !== "ops/.env" && !existsSync(join(ROOT, path)))).toEqual([]);
});
