// The machine's monotonic clock, the same in every process.

export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
