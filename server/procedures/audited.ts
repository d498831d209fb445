// Checks a member's role, and writes the member's changes and refusals to the audit log.
import { type Member, ROLES, type Role } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";

type Call = {
  path: string;
  type: string;
  getRawInput: () => Promise<unknown>;
  /** Absent: only owners may. */
  role?: Role;
  isAct?: (input: unknown) => boolean;
};

type Log = {
  beginAct(member: Member, act: { action: string; input: unknown }): Promise<(outcome: string) => Promise<void>>;
  /** The code of what a procedure threw. */
  codeOf(error: unknown): string;
};

/**
 * Runs a procedure for a member. A change is written to the audit log before it is made, and its result afterwards; a
 * change that the role forbids is written with the refusal.
 * @throws ServiceError `insufficient_role`
 */
export async function audited<Result extends { ok: true } | { ok: false; error: unknown }>(
  member: Member,
  { path, type, getRawInput, role = "owner", isAct = () => true }: Call,
  { beginAct, codeOf }: Log,
  run: () => Promise<Result>,
): Promise<Result> {
  const refusal = roleRefusal(member, role);
  if (type !== "mutation") {
    if (refusal) throw refusal;
    return run();
  }
  if (refusal) {
    // An input that cannot be read has no subject; the answer is about the role.
    const input = await getRawInput().catch(() => undefined);
    const end = await beginAct(member, { action: path, input });
    await end(refusal.code);
    throw refusal;
  }
  const input = await getRawInput();
  if (!isAct(input)) return run();
  const end = await beginAct(member, { action: path, input });
  const result = await run();
  await end(result.ok ? "done" : codeOf(result.error));
  return result;
}

function roleRefusal(actor: Member, role: Role): ServiceError | undefined {
  if (ROLES.indexOf(actor.role) >= ROLES.indexOf(role)) return undefined;
  return new ServiceError("insufficient_role", `This call needs the role ${role}. Your role is ${actor.role}.`);
}
