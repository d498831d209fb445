// A calendar invitation as a card: when, where and who. The files stay among the attachments.
"use client";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "../../trpc.ts";
import type { Message } from "./message.ts";
import { type Invitation as Invited, readInvitation, whenOf } from "./read-invitation.ts";
import classes from "./thread.module.css";

const GUESTS_SHOWN = 8;
const TITLES: Record<string, string> = { CANCEL: "Cancelled", REPLY: "Answer to an invitation", REQUEST: "Invitation" };

type File = Message["attachments"][number];

export default function Invitation({ id, file }: { id: string; file: File }) {
  const trpc = useTRPC();
  // Its thread has limits on time and size, and the answer on its length.
  const { data } = useQuery(
    trpc.messages.attachmentText.queryOptions(
      { id, attachment_id: file.id },
      { staleTime: Number.POSITIVE_INFINITY, retry: 1 },
    ),
  );
  const invited = data && readInvitation(data.safe_text.text);
  // What cannot be read is still a file below.
  if (!invited) return null;
  const { summary, method, isCancelled, repeats } = invited;
  const title = isCancelled ? TITLES.CANCEL : (TITLES[method] ?? "Event");
  return (
    <section className={classes.invitation} aria-label="Calendar invitation">
      <p className={classes.invitationKind}>{title}</p>
      <h3 dir="auto">{summary || "(no title)"}</h3>
      <dl>
        {factsOf(invited).map(([name, words]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{words}</dd>
          </div>
        ))}
      </dl>
      <p className={classes.faint}>
        {repeats && "It repeats. "}The sender wrote this. To answer, reply to the message, or open the file in a
        calendar.
      </p>
    </section>
  );
}

function factsOf(invited: Invited): [string, string][] {
  const { location, organizer, guests } = invited;
  const more = guests.length - GUESTS_SHOWN;
  const who = guests.slice(0, GUESTS_SHOWN).join(", ") + (more > 0 ? ` and ${more} more` : "");
  const facts: [string, string][] = [
    ["When", whenOf(invited)],
    ["Where", location],
    ["From", organizer],
    ["Guests", who],
  ];
  return facts.filter(([, words]) => words !== "");
}
