// W2: the main job. Mail over SMTP, durable, until its signed webhook has been received; against Haraka, a naive build and
// Postfix, in the ways that mail servers connect, or against an earlier commit.
import { BOXES, type Intake, startIntake } from "./support/intake.ts";
import type { MailServer } from "./support/mail-server.ts";
import type { Options } from "./support/options.ts";
import { type Contender, median, type Ran, race, warmUp } from "./support/rounds.ts";
import type { Site } from "./support/site.ts";
import type { SmtpMode } from "./support/smtp-load.ts";
import type { Comparison } from "./support/table.ts";
import { startBothCommits, startMailServers } from "./w2-servers.ts";

const SECONDS = 1;
const PACES_PER_SECOND = [500, 1_000];
const PACED_SECONDS = 4;
const PACED_SESSIONS = 16;
const PACED_RUNS = 3;

type Pattern = { mode: SmtpMode; sessions: number; says: string };
const PATTERNS: Pattern[] = [
  { mode: "kept", sessions: 16, says: "kept open" },
  { mode: "kept", sessions: 64, says: "kept open" },
  { mode: "new", sessions: 16, says: "new per mail" },
  { mode: "new", sessions: 64, says: "new per mail" },
  { mode: "pipelined", sessions: 16, says: "pipelining" },
  { mode: "pipelined", sessions: 64, says: "pipelining" },
];

function contender(intake: Intake, server: MailServer, { mode, sessions }: Pattern): Contender {
  return {
    name: server.name,
    servers: server.processes,
    memoryOf: server.memoryOf,
    ...(server.settle && { settle: server.settle }),
    async run(): Promise<Ran> {
      const { mails, seconds } = await intake.send(server, { mode, sessions, seconds: SECONDS });
      return { operations: mails, seconds };
    },
  };
}

function percentile(sorted: number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);
}

/** From the last octet of a mail leaving the sender to its webhook having arrived, at a steady pace. */
async function latencyNotes(intake: Intake, server: MailServer): Promise<string[]> {
  const notes: string[] = [];
  for (const perSecond of PACES_PER_SECOND) {
    const all: number[][] = [];
    for (let run = 0; run < PACED_RUNS; run += 1) {
      const order = { mode: "kept" as const, sessions: PACED_SESSIONS, seconds: PACED_SECONDS, perSecond };
      const { latencies } = await intake.send(server, order);
      all.push(latencies.toSorted((a, b) => a - b));
      await server.settle?.();
    }
    const p50 = all.map((each) => percentile(each, 0.5)).join(", ");
    const p99 = all.map((each) => percentile(each, 0.99)).join(", ");
    const mails = median(all.map((each) => each.length / PACED_SECONDS)).toFixed(0);
    notes.push(`${server.name}, ${perSecond}/s asked, ${mails}/s sent: mail to webhook p50 ${p50} ms, p99 ${p99} ms`);
  }
  return notes;
}

function isMeasured({ mode, sessions }: Pattern, { only }: MailServer): boolean {
  return only === undefined || (sessions <= only.sessionsMax && only.modes.includes(mode));
}

export async function w2(site: Site, note: (text: string) => void, options: Options): Promise<Comparison[]> {
  const { against, pairs, only } = options;
  const intake = await startIntake();
  const { ours, peers, stop } = against
    ? await startBothCommits(site, intake.hookUrl, BOXES, against)
    : await startMailServers(site, intake.hookUrl, BOXES, note);
  try {
    const kept: Pattern = { mode: "kept", sessions: 16, says: "" };
    for (const server of [...ours, ...peers]) await warmUp(contender(intake, server, kept));
    const everything = [process.pid, site.postmasterPid, ...peers.flatMap((peer) => peer.strays?.() ?? [])];
    const rows: Comparison[] = [];
    const [first, ...apart] = ours as [MailServer, ...MailServer[]];
    for (const pattern of PATTERNS) {
      const title = { workload: "W2", case: `${pattern.sessions} sessions ${pattern.says}`, pairs };
      if (!title.case.includes(only)) continue;
      const others = [...apart, ...peers]
        .filter((peer) => isMeasured(pattern, peer))
        .map((peer) => ({ contender: contender(intake, peer, pattern), goal: peer.goals[pattern.mode] }));
      rows.push(...(await race(title, contender(intake, first, pattern), others, everything)));
    }
    const paced = against ? [...ours, ...peers] : ours;
    for (const server of paced) for (const text of await latencyNotes(intake, server)) note(text);
    return rows;
  } finally {
    await stop();
  }
}
