// What processes cost: CPU seconds and memory of process trees, and CPU seconds of the whole machine, from /proc (proc(5)).
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";

/** USER_HZ: the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
/** Fields of /proc/<pid>/stat, counted from the field after the command's closing parenthesis. */
const PARENT_FIELD = 1;
const CPU_FIELDS = [11, 12, 13, 14];
/** Columns of the first line of /proc/stat that are work: user, nice, system, irq, softirq, steal. */
const BUSY_COLUMNS = [1, 2, 3, 6, 7, 8];

export const CORES = availableParallelism();

type Process = { parent: number; cpuSeconds: number };

function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return; // it ended between the listing and the reading
  }
}

function allProcesses(): Map<number, Process> {
  const found = new Map<number, Process>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? readProc(`${name}/stat`) : undefined;
    if (!stat) continue;
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // Children that have ended count with the parent that waited for them.
    const ticks = CPU_FIELDS.reduce((sum, field) => sum + Number(fields[field]), 0);
    found.set(Number(name), { parent: Number(fields[PARENT_FIELD]), cpuSeconds: ticks / TICKS_PER_SECOND });
  }
  return found;
}

function treeOf(root: number, processes: Map<number, Process>): number[] {
  const tree = [root];
  for (const pid of tree) for (const [child, { parent }] of processes) if (parent === pid) tree.push(child);
  return tree;
}

/** CPU seconds so far of each process tree (a process with all its descendants, including ended ones). */
export function cpuOfTrees(roots: number[]): number[] {
  const processes = allProcesses();
  return roots.map((root) =>
    treeOf(root, processes).reduce((sum, pid) => sum + (processes.get(pid)?.cpuSeconds ?? 0), 0),
  );
}

/** Resident memory of the trees, in MB. */
export function rssMb(roots: number[]): number {
  const processes = allProcesses();
  const kib = roots
    .flatMap((root) => treeOf(root, processes))
    .map((pid) => Number(/^VmRSS:\s+(\d+)/m.exec(readProc(`${pid}/status`) ?? "")?.[1] ?? 0));
  return kib.reduce((sum, each) => sum + each, 0) / 1024;
}

/** Memory of the trees in MB, where what processes share counts once (Pss of proc(5)). */
export function pssMb(roots: number[]): number {
  const processes = allProcesses();
  const tree = new Set(roots.flatMap((root) => treeOf(root, processes)));
  const kib = [...tree].map((pid) => Number(/^Pss:\s+(\d+)/m.exec(readProc(`${pid}/smaps_rollup`) ?? "")?.[1] ?? 0));
  return kib.reduce((sum, each) => sum + each, 0) / 1024;
}

/** CPU seconds that all cores together have worked since the machine started. */
export function machineCpuSeconds(): number {
  const columns = (readProc("stat") ?? "").split("\n", 1)[0]?.split(/\s+/) ?? [];
  return BUSY_COLUMNS.reduce((sum, column) => sum + Number(columns[column] ?? 0), 0) / TICKS_PER_SECOND;
}

export function parentOf(pid: number): number {
  const parent = allProcesses().get(pid)?.parent;
  if (parent === undefined) throw new Error(`there is no process ${pid}`);
  return parent;
}

export function loadText(): string {
  return `${CORES} cores, load ${loadavg()
    .map((each) => each.toFixed(1))
    .join(" ")}`;
}
