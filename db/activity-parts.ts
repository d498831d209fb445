// The parts of a row of the activity of a key, as they are stored in JSON.
export const CHANGE_KINDS = [
  "message",
  "send",
  "draft",
  "upload",
  "inbox",
  "list_entry",
  "suppression",
  "webhook",
  "key",
  "domain",
  "pause",
  "payment",
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The fields that changed. Times are ISO 8601. */
export type Values = Record<string, unknown>;

/**
 * `before` null: the thing was made; `after` null: it is gone. `kept`: the id of the row that keeps what is not in `before`. `final`: why
 * no undo takes it back. `name`: of a thing whose row goes with it, for the audit log.
 */
export type Change = {
  kind: ChangeKind;
  id: string;
  before: Values | null;
  after: Values | null;
  kept?: string;
  final?: string;
  name?: string;
};

/** One setting of a thing, in words that the API has, for the audit log. */
export type SettingChange = { name: string; from: string | null; to: string | null };

export type NotUndone = { kind: ChangeKind; id: string; reason: string };
