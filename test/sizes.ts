// How large the large tests are: small enough for each change in CI, in full in `npm run test:nightly`, which sets TEST_NIGHTLY.

type Size = { what: string; ci: number; nightly: number };

const SIZES = {
  STORM_MAILS: { what: "mails to each mailbox in the storm of failing webhooks", ci: 150, nightly: 1_250 },
  STORM_KILLS: { what: "kills of each worker in that storm", ci: 1, nightly: 5 },
  KILLED_WORKERS_EVENTS: { what: "events of workers that are killed", ci: 1_000, nightly: 10_000 },
  WORKER_KILLS: { what: "kills of workers", ci: 2, nightly: 10 },
  ROTATION_MAILS: { what: "mails by each process while signing secrets rotate", ci: 60, nightly: 250 },
  ROTATION_DELIVERIES: { what: "deliveries of each kind while a secret rotates", ci: 250, nightly: 1_000 },
  BLOB_KILLS: { what: "kills between the object of a mail and its 250", ci: 1, nightly: 100 },
  STREAM_KILLS: { what: "kills of a service whose streams are followed", ci: 1, nightly: 3 },
  WAITS_IN_A_ROW: { what: "waits in a row that another process answers", ci: 10, nightly: 50 },
  PAUSED_SENDS: { what: "queued messages that a pause stops", ci: 150, nightly: 600 },
  FORGED_RETURNS: { what: "forged bounces and complaints", ci: 200, nightly: 1_000 },
  FORGED_EVENTS: { what: "forged events of each mail provider", ci: 200, nightly: 1_000 },
  PAID_RACES: { what: "payments shown for two mailboxes", ci: 100, nightly: 1_000 },
  RACING_PAYLOADS: { what: "payments shown ten times each, concurrently", ci: 30, nightly: 100 },
  HANG_UP_ROUNDS: { what: "rounds of sixty clients who hang up", ci: 3, nightly: 10 },
  RACE_ROUNDS: { what: "rounds of concurrent creates and sends", ci: 1, nightly: 4 },
  PAID_KILL_POINTS: { what: "points of a payment at which the service is killed", ci: 2, nightly: 4 },
  TWO_PROCESSES_KILLED: { what: "of two processes, killed under load", ci: 1, nightly: 2 },
  MAILS_IN_A_DEAD_MEMORY: { what: "mails in the memory of a killed process", ci: 60, nightly: 200 },
  LARGE_MAILS_BETWEEN_SMALL: { what: "mails of 25 MB between small ones", ci: 1, nightly: 4 },
  CAMPAIGN_KINDS: { what: "kinds of kill in the short campaign", ci: 2, nightly: 4 },
  FORM_THIRDS: { what: "thirds of the forms of a foreign name for each caller", ci: 1, nightly: 3 },
  HOSTILE_HTML_MIB: { what: "MiB of hostile HTML", ci: 1, nightly: 4 },
  FROZEN_CALLERS: { what: "callers of a frozen database", ci: 100, nightly: 300 },
  FUZZ_RUNS: { what: "generated requests of each operation", ci: 60, nightly: 1_000 },
  FUZZ_SLOW_RUNS: { what: "generated rotations of a secret", ci: 15, nightly: 60 },
  DKIM_MAILS: { what: "mails while a DKIM key rotates", ci: 100, nightly: 1_000 },
  PARALLEL_VERIFICATIONS: { what: "concurrent sign-ups, each with a verification", ci: 60, nightly: 200 },
  OFFICE_DOCUMENTS: { what: "documents of LibreOffice, as other programs read them", ci: 0, nightly: 60 },
  SERVICE_PACKAGES: { what: "installations of the packed service from the registry", ci: 0, nightly: 1 },
  RELEASE_REHEARSALS: { what: "rehearsals of a release", ci: 0, nightly: 1 },
  PLANNED_MAILS: { what: "mails and mailboxes in the database whose plans are read", ci: 30_000, nightly: 1_000_000 },
  LISTED_THREADS: { what: "threads in a list that is scrolled", ci: 120, nightly: 200 },
  LISTED_KEYS: { what: "keys in a list that is searched", ci: 100, nightly: 500 },
  DOCS_LOOKS: { what: "looks at the API reference", ci: 1, nightly: 4 },
  LEFT_OUT_LANGUAGES: { what: "languages whose codes are read without their words", ci: 2, nightly: 49 },
  DIGESTED_THREADS: { what: "generated conversations whose digests keep their facts", ci: 40, nightly: 1_000 },
  DIFFERENTIAL_MAILS: { what: "generated mails that another reader reads too", ci: 200, nightly: 10_000 },
  UNDONE_PUPPETS: { what: "keys that did 500 random things, and were undone with kills", ci: 2, nightly: 100 },
  IMPORTED_MAILS: { what: "mails of an import that is killed", ci: 300, nightly: 10_000 },
  IMPORT_KILLS: { what: "kills of an import", ci: 1, nightly: 3 },
  PAGE_LOOKS: { what: "looks at each page of the dashboard", ci: 1, nightly: 4 },
} as const satisfies Record<string, Size>;

export const isNightly = process.env.TEST_NIGHTLY === "1";

export function size(name: keyof typeof SIZES): number {
  return SIZES[name][isNightly ? "nightly" : "ci"];
}

/** What a run for a change leaves to the night, in one line. */
export const NIGHTLY_ONLY = [
  ...Object.values(SIZES).map(({ what, ci, nightly }) => `${nightly} ${what} (${ci} here)`),
  "requests from a random seed",
  "npm run lighthouse",
  "npm run newcomer",
  "npm run mutants",
].join("; ");
