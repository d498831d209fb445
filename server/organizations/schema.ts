// The input and output schemas of members, invitations, links to join, and the audit log.
import { z } from "zod";
import { CHANGE_KINDS } from "#db/activity-parts.ts";
import { readAddress } from "../base/addresses.ts";
import { ROLES } from "../base/context.ts";
import { pageInput } from "../base/fields.ts";
import { isTime } from "../base/id-range.ts";
import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from "./sign-in.ts";

/** The cookie that keeps it has room for 4,000 characters. */
const NEXT_CHARS = 500;
const SETUP_CHARS = 500;

const role = z.enum(ROLES);
const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .refine((text) => readAddress(text) !== undefined && z.email().safeParse(text).success, "a mail address");
const personName = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}\p{Cs}<>]{1,100}$/u, "1 to 100 characters in one line");
const token = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "the part of the link after #");

export const meOutput = z.object({
  user: z.object({ id: z.string(), name: z.string(), email: z.string() }),
  organization: z.object({ id: z.string(), name: z.string() }),
  role,
  organizations: z.array(z.object({ id: z.string(), name: z.string(), role })),
  /** Whether payments are on for this organization. */
  payments: z.boolean(),
});

export const linkInput = z.object({ token });
/** The token of a reset link; the longest has 32 characters. */
export const resetLinkInput = z.object({ token: z.string().min(1).max(100) });
export const linkOutput = z.object({
  kind: z.enum(["owner", "invitation"]),
  organization: z.string(),
  /** Null: the person with the link enters an address. */
  email: z.string().nullable(),
  role,
  has_account: z.boolean(),
  expires_at: z.string(),
});

/** A code of an authenticator app, or a recovery code, with spaces. */
export const CODE_CHARS = 40;
const code = z.string().max(CODE_CHARS);
const password = z.string().max(PASSWORD_MAX_CHARS);

export const joinInput = z.object({
  token,
  /** Of the second factor of an existing account. */
  code: code.optional(),
  name: personName.optional(),
  email: email.optional(),
  password: z.string().min(PASSWORD_MIN_CHARS).max(PASSWORD_MAX_CHARS),
});
export const joinOutput = z.object({ email: z.string() });

export const companyButtonOutput = z.object({
  /** What the button calls the account. Null: there is no company sign-in. */
  name: z.string().nullable(),
});
export const companySignInInput = z.object({
  /** A path of this service, to open after the sign-in. */
  next: z.string().max(NEXT_CHARS).optional(),
  token: token.optional(),
});
export const companySignInOutput = z.object({ url: z.string() });

export const secondFactorOutput = z.object({
  /** Of the account, as an authenticator app names it. */
  email: z.string(),
  is_on: z.boolean(),
  recovery_codes_left: z.int(),
  /** Without one, the company account is the only way in. */
  has_password: z.boolean(),
});
export const beginSecondFactorInput = z.object({ password });
export const beginSecondFactorOutput = z.object({
  /** In base32, to type into an app. */
  secret: z.string(),
  /** `otpauth:`, for a QR code. */
  uri: z.string(),
  /** To send back with the first code, within ten minutes. */
  setup: z.string(),
});
export const confirmSecondFactorInput = z.object({ setup: z.string().max(SETUP_CHARS), code });
export const confirmSecondFactorOutput = z.object({ recovery_codes: z.array(z.string()) });
export const endSecondFactorInput = z.object({ password, code });

const member = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  role,
  joined_at: z.string(),
  /** Whether the account has a second factor. Null: only admins and owners see it. */
  second_factor: z.boolean().nullable(),
  /** Whether a company account is linked to the account. Null: only admins and owners see it. */
  company_account: z.boolean().nullable(),
});
const invitation = z.object({
  email: z.string(),
  role,
  invited_by: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
});
export const membersOutput = z.object({ members: z.array(member), invitations: z.array(invitation) });

export const inviteInput = z.object({ email, role });
export const inviteOutput = invitation.extend({
  /** Where mail does not leave the machine (OUTBOUND=local): the link to hand over by other means. */
  link: z.string().nullable(),
});
export const cancelInvitationInput = z.object({ email });
export const memberIdInput = z.object({ id: z.string() });
export const setRoleInput = memberIdInput.extend({ role });
export const doneOutput = z.object({ done: z.literal(true) });

const AUDIT_QUERY_CHARS = 200;
const AUDIT_NOUN = /^[a-z][A-Za-z]{0,40}$/;
const time = z.string().max(40).refine(isTime, "a time such as 2027-01-31T12:00:00Z").optional();

export const auditInput = z.object({
  ...pageInput,
  /** Only what members did, or what agents did. */
  who: z.enum(["members", "agents"]).optional(),
  /** A part of what an entry shows: a name, an address, a person, an agent. */
  q: z.string().trim().min(1).max(AUDIT_QUERY_CHARS).optional(),
  /** Only what this member did: `usr_…`. */
  member: z.string().max(100).optional(),
  /** Only actions on this noun: `webhooks`. */
  noun: z.string().regex(AUDIT_NOUN).optional(),
  outcome: z.enum(["done", "refused", "begun"]).optional(),
  after: time,
  before: time,
});
export const auditOutput = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      /** `Name <address>` of a member, as it was at the time; the name of an agent. */
      actor: z.string(),
      /** Null: a member, or the service. */
      agent: z
        .object({ id: z.string(), handle: z.string(), agent_key_id: z.string(), enrollment_key_id: z.string() })
        .nullable(),
      /** The procedure, such as `webhooks.register`, or what a person did to their own account. */
      action: z.string(),
      /** What the input of a member names. */
      subject: z.string().nullable(),
      /** What was changed. Null: nothing that has a name. */
      object: z
        .object({
          /** Such as `whk_…`. Null: it has none. */
          id: z.string().nullable(),
          /** The kind of an agent's change. */
          kind: z.enum(CHANGE_KINDS).nullable(),
          /** Its name now, or the last one that is known. Null: it was erased. */
          name: z.string().nullable(),
          inbox: z.string().nullable(),
          thread_id: z.string().nullable(),
          enrollment_key_id: z.string().nullable(),
          /** No page shows it. */
          gone: z.boolean(),
        })
        .nullable(),
      /** How many other things an agent changed in the same call. */
      more: z.int(),
      /** Settings from what they were to what they are. */
      changes: z.array(z.object({ name: z.string(), from: z.string().nullable(), to: z.string().nullable() })),
      /** `begun` (no end is known), `done`, or the code of a refusal. */
      outcome: z.string(),
      created_at: z.string(),
    }),
  ),
  next_cursor: z.string().nullable(),
});
