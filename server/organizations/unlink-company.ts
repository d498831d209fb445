// Unlinks the company account of a person. It adds ways in: the person can set a password by mail again, and the company account that next
// signs in with the address is linked, whatever subject it has. So members who are no owners cannot unlink their own: the company could no
// longer end their access. An owner can, as for any member.
import { eq } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { accounts, sessions } from "#db/schema/team.ts";
import type { Ctx, Member, Services, System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";
import { writeAccountNotice } from "./emails.ts";
import { changeByOperator, changeByOwner } from "./other-accounts.ts";
import { isCompanyLinkOf } from "./sign-in.ts";

const UNLINKED =
  "The company account was unlinked from your account, and all your sessions have ended. Sign in with a company account of this address again, or set a new password.";

/**
 * Of a member, by an owner. All sessions and connected apps of the person end.
 * @throws ServiceError `member_not_found`, `insufficient_role` also if another organization has the member, `invalid_request` if there is none
 */
export async function unlinkCompany(ctx: Ctx<Member>, wireId: string): Promise<void> {
  const refusal = {
    message: "Only the operator can unlink the company account of this member.",
    fix: "Ask the operator: npm run -s admin -- accounts unlink-company <e-mail>",
  };
  const id = decodeId("usr", wireId) ?? "";
  await changeByOwner(ctx, { id, action: "team.unlinkCompany", refusal }, (tx, person) => unlink(ctx, tx, person));
}

/** @throws ServiceError `not_found`, `invalid_request` if there is none */
export function unlinkCompanyByOperator(ctx: Ctx<System>, email: string): Promise<{ email: string }> {
  return changeByOperator(ctx, { email, action: "account.unlink_company" }, (tx, person) => unlink(ctx, tx, person));
}

async function unlink(services: Services, tx: Transaction, person: { id: string; email: string }): Promise<void> {
  const ended = await tx.delete(accounts).where(isCompanyLinkOf(person.id));
  if (ended.count === 0) throw new ServiceError("invalid_request", "This account has no company account.");
  await tx.delete(sessions).where(eq(sessions.userId, person.id));
  await services.memberApps.end(tx, { userIds: [person.id] }, services.now());
  await writeAccountNotice({ ...services, db: tx }, person, { topic: "company_account", change: UNLINKED });
}
