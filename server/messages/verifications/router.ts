// The procedures of verifications: lease a mailbox, and read or take its code without a key.
import { encodeId } from "../../base/ids.ts";
import { PAYMENT_ERRORS, RECEIPT_HEADERS } from "../../payments/schema.ts";
import { agentProcedure, publicProcedure, rest, router } from "../../procedures/procedures.ts";
import { createVerification } from "./create.ts";
import {
  createVerificationInput,
  createVerificationOutput,
  waitVerificationInput,
  waitVerificationOutput,
} from "./schema.ts";
import { TIMED_OUT, waitForCode } from "./wait.ts";
import { waitUrl } from "./wait-url.ts";

const tags = ["verifications"];

export const verificationsRouter = router({
  create: agentProcedure("mailbox:create")
    .meta(
      rest("POST /v1/verifications", "createVerification", {
        tags,
        summary: "Lease a mailbox for a code",
        description:
          "Creates a mailbox that exists for `ttl_seconds`, for one sign-up. Sign up with `address`, then GET `wait_url`. It counts against the quota, and may have to be paid for. At the end of the lease it is deleted with its mail, and its address is never used again. The key also needs the scope mailbox:read.",
        successDescription: "The address and the URL that returns the code.",
        idempotency: "found",
        mcp: "create_verification",
        status: 201,
        responseHeaders: RECEIPT_HEADERS,
        errors: [
          ...PAYMENT_ERRORS,
          "insufficient_scope",
          "domain_not_allowed",
          "enrollment_token_exhausted",
          "address_taken",
          "inbox_deleted",
        ],
      }),
    )
    .input(createVerificationInput)
    .output(createVerificationOutput)
    .mutation(async ({ ctx, input }) => {
      const { id, address, expires_at, receipt } = await createVerification(ctx, input, ctx.request.payment);
      Object.assign(ctx.request.headers, receipt);
      return {
        id: encodeId("ver", id),
        address,
        wait_url: waitUrl(ctx, id),
        expires_at: expires_at.toISOString(),
      };
    }),

  wait: publicProcedure
    .meta(
      rest("GET /v1/verifications/{lease}", "waitForCode", {
        tags,
        summary: "Wait for the code of a verification",
        description:
          "Blocks until a mail with a code or a link arrives in the leased mailbox, and returns it. Repeated requests return the same code until the lease ends, or until POST …/take took it. Mail without a code or link is passed over. The URL is `wait_url` of the verification and needs no key; it ends with the lease or its key. HEAD answers as GET does, without waiting.",
        protect: false,
        successDescription: "The code, or `timed_out: true`.",
        mcp: "wait_for_code",
        errors: ["verification_not_found", "verification_answered", "rate_limited"],
      }),
    )
    .input(waitVerificationInput)
    .output(waitVerificationOutput)
    .query(({ ctx, input }) => {
      const wait = ctx.request.isHead ? { ...input, timeout_seconds: 0 } : input;
      return ctx.request.later(() => waitForCode(ctx, wait, ctx.request.signal, false), TIMED_OUT);
    }),

  take: publicProcedure
    .meta(
      rest("POST /v1/verifications/{lease}/take", "takeCode", {
        tags,
        summary: "Take the code of a verification",
        description:
          "Waits as GET `wait_url` does, and takes the code: no later request returns it, so that a code is used once by one of several readers. A caller that disconnects before the answer has not taken it.",
        protect: false,
        successDescription: "The code, or `timed_out: true`.",
        errors: ["verification_not_found", "verification_answered", "rate_limited"],
      }),
    )
    .input(waitVerificationInput)
    .output(waitVerificationOutput)
    .mutation(({ ctx, input }) =>
      ctx.request.later(() => waitForCode(ctx, input, ctx.request.signal, true), TIMED_OUT),
    ),
});
