// The procedure that says what the HTML of a mail leaves out. The HTML itself is at /mail-html/{id}, as a document with a policy of its own.
import { z } from "zod";
import { memberProcedure, router } from "../../procedures/procedures.ts";
import { messageIdInput } from "../schema.ts";
import { quotesIn, shownHtml } from "./html.ts";

/** What showing the HTML of a message left out. */
const shownHtmlOutput = z.object({
  remote: z.object({ count: z.int(), hosts: z.array(z.string()) }),
  shortened: z.boolean(),
});

/** `html_chars`: so many characters of the HTML are quotes. `text`: the lines of the text that are, `to` exclusive. */
const quotesOutput = z.object({
  html_chars: z.int(),
  text: z.array(z.object({ from: z.int(), to: z.int() })),
});

export const shownRouter = router({
  quotes: memberProcedure("member")
    .input(messageIdInput)
    .output(quotesOutput)
    .query(({ ctx, input }) => quotesIn(ctx, input.id)),

  shownHtml: memberProcedure("member")
    .input(messageIdInput)
    .output(shownHtmlOutput)
    .query(async ({ ctx, input }) => {
      const { remote, shortened } = await shownHtml(ctx, input.id, "none");
      return { remote, shortened };
    }),
});
