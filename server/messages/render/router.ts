// The procedure that says what the HTML of a mail leaves out. The HTML itself is at /mail-html/{id}, as a document with a policy of its own.
import { z } from "zod";
import { memberProcedure, router } from "../../procedures/procedures.ts";
import { messageIdInput } from "../schema.ts";
import { shownHtml } from "./html.ts";

/** What showing the HTML of a message left out. */
const shownHtmlOutput = z.object({
  remote: z.object({ count: z.int(), hosts: z.array(z.string()) }),
  shortened: z.boolean(),
});

export const shownRouter = router({
  shownHtml: memberProcedure("member")
    .input(messageIdInput)
    .output(shownHtmlOutput)
    .query(async ({ ctx, input }) => {
      const { remote, shortened } = await shownHtml(ctx, input.id, "none");
      return { remote, shortened };
    }),
});
