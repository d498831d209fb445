// The procedures of the team (who am I, who else, joining by a link, inviting, roles, the audit log) and of its organization.
import { memberProcedure, publicProcedure, router, setUpProcedure } from "../procedures/procedures.ts";
import { listAudit } from "./audit-log.ts";
import { beginCompanySignIn, companyButton } from "./company.ts";
import { requireResetLink } from "./emails.ts";
import { cancelInvitation, invite } from "./invitations.ts";
import { join } from "./join.ts";
import { findLink, hasAccount } from "./links.ts";
import { me } from "./me.ts";
import { listMembers, removeMember, setRole } from "./members.ts";
import { getOrganization } from "./organization.ts";
import {
  organizationOutput,
  sendConfirmationInput,
  updateOrganizationInput,
  updateOrganizationOutput,
} from "./organization-schema.ts";
import { sendConfirmation, updateOrganization } from "./organizations.ts";
import {
  auditInput,
  auditOutput,
  beginSecondFactorInput,
  beginSecondFactorOutput,
  cancelInvitationInput,
  companyButtonOutput,
  companySignInInput,
  companySignInOutput,
  confirmSecondFactorInput,
  confirmSecondFactorOutput,
  doneOutput,
  endSecondFactorInput,
  inviteInput,
  inviteOutput,
  joinInput,
  joinOutput,
  linkInput,
  linkOutput,
  memberIdInput,
  membersOutput,
  meOutput,
  resetLinkInput,
  secondFactorOutput,
  setRoleInput,
} from "./schema.ts";
import {
  beginSecondFactor,
  confirmSecondFactor,
  endSecondFactor,
  getSecondFactor,
  resetSecondFactor,
} from "./second-factor-setup.ts";
import { unlinkCompany } from "./unlink-company.ts";

const done = { done: true as const };

export const teamRouter = router({
  me: memberProcedure("member")
    .output(meOutput)
    .query(({ ctx }) => me(ctx)),

  // Changes nothing. By POST, since a token in an address would reach the logs of whatever stands in between.
  link: publicProcedure
    .input(linkInput)
    .output(linkOutput)
    .mutation(async ({ ctx, input }) => {
      const { kind, organization, email, role, expiresAt } = await findLink(ctx, input.token);
      const has_account = email !== null && (await hasAccount(ctx, email));
      return { kind, organization, email, role, has_account, expires_at: expiresAt.toISOString() };
    }),

  // As `link`.
  resetLink: publicProcedure
    .input(resetLinkInput)
    .output(doneOutput)
    .mutation(async ({ ctx, input }) => {
      await requireResetLink(ctx, input.token);
      return done;
    }),

  join: publicProcedure
    .input(joinInput)
    .output(joinOutput)
    .mutation(async ({ ctx, input }) => {
      const { email, cookies } = await join(ctx, input, ctx.request);
      ctx.request.setCookies(cookies);
      return { email };
    }),

  companyButton: publicProcedure.output(companyButtonOutput).query(({ ctx }) => companyButton(ctx)),

  companySignIn: publicProcedure
    .input(companySignInInput)
    .output(companySignInOutput)
    .mutation(async ({ ctx, input }) => {
      const { url, cookie } = await beginCompanySignIn(ctx, input);
      ctx.request.setCookies([cookie]);
      return { url };
    }),

  members: memberProcedure("member")
    .output(membersOutput)
    .query(({ ctx }) => listMembers(ctx)),

  invite: memberProcedure("admin")
    .input(inviteInput)
    .output(inviteOutput)
    .mutation(({ ctx, input }) => invite(ctx, input)),

  cancelInvitation: memberProcedure("admin")
    .input(cancelInvitationInput)
    .output(doneOutput)
    .mutation(({ ctx, input }) => cancelInvitation(ctx, input.email).then(() => done)),

  setRole: memberProcedure("owner")
    .input(setRoleInput)
    .output(doneOutput)
    .mutation(({ ctx, input }) => setRole(ctx, input).then(() => done)),

  removeMember: memberProcedure("admin")
    .input(memberIdInput)
    .output(doneOutput)
    .mutation(({ ctx, input }) => removeMember(ctx, input.id).then(() => done)),

  secondFactor: setUpProcedure()
    .output(secondFactorOutput)
    .query(({ ctx }) => getSecondFactor(ctx)),

  // The log has what became of these in every organization of the person (audit.ts).
  beginSecondFactor: setUpProcedure()
    .meta({ isAct: () => false })
    .input(beginSecondFactorInput)
    .output(beginSecondFactorOutput)
    .mutation(({ ctx, input }) => beginSecondFactor(ctx, input.password, ctx.request.client)),

  confirmSecondFactor: setUpProcedure()
    .meta({ isAct: () => false })
    .input(confirmSecondFactorInput)
    .output(confirmSecondFactorOutput)
    .mutation(({ ctx, input }) => confirmSecondFactor(ctx, input)),

  endSecondFactor: memberProcedure("member")
    .meta({ isAct: () => false })
    .input(endSecondFactorInput)
    .output(doneOutput)
    .mutation(({ ctx, input }) => endSecondFactor(ctx, input, ctx.request.client).then(() => done)),

  resetSecondFactor: memberProcedure("owner")
    .input(memberIdInput)
    .output(doneOutput)
    .mutation(({ ctx, input }) => resetSecondFactor(ctx, input.id).then(() => done)),

  unlinkCompany: memberProcedure("owner")
    .input(memberIdInput)
    .output(doneOutput)
    .mutation(({ ctx, input }) => unlinkCompany(ctx, input.id).then(() => done)),

  audit: memberProcedure("admin")
    .input(auditInput)
    .output(auditOutput)
    .query(({ ctx, input }) => listAudit(ctx, input)),
});

export const organizationRouter = router({
  get: memberProcedure("member")
    .output(organizationOutput)
    .query(({ ctx }) => getOrganization(ctx)),

  update: memberProcedure("owner")
    .input(updateOrganizationInput)
    .output(updateOrganizationOutput)
    .mutation(({ ctx, input }) => updateOrganization(ctx, input)),

  sendConfirmation: memberProcedure("owner")
    .input(sendConfirmationInput)
    .output(doneOutput)
    .mutation(async ({ ctx, input }) => {
      await sendConfirmation(ctx, input.address);
      return done;
    }),
});
