// One problem on the overview.
export type Problem = {
  severity: "critical" | "warning";
  /** The problem as a sentence. */
  text: string;
  fix: string;
  /** When it started, if known. */
  since: string | null;
  where:
    | { kind: "key"; id: string }
    | { kind: "webhook"; id: string }
    | { kind: "message"; id: string; inbox: string; thread_id: string }
    | { kind: "storage"; id: string }
    | { kind: "domain"; id: string }
    /** `id`: the address. */
    | { kind: "inbox"; id: string };
};
