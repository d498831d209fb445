// A revision of a held message: its headers and bodies as text.
"use client";
import { Badge, Group } from "@mantine/core";
import shared from "../../design/shared.module.css";
import classes from "./approvals.module.css";
import type { Review, Revision } from "./review.ts";

export function Content({ review, revision }: { review: Review; revision: Revision }) {
  const { inbox, from_name, reply_to, attachments } = review;
  const lines: [string, string[]][] = [
    ["From", [from_name ? `${from_name} <${inbox}>` : inbox]],
    ["To", revision.to],
    ["Cc", revision.cc],
    ["Bcc", revision.bcc],
    ["Reply-To", reply_to],
  ];
  return (
    <section aria-label="The message" className={shared.panel}>
      <dl className={classes.headers}>
        {lines.map(([name, values]) => values.length > 0 && <Line key={name} name={name} text={values.join(", ")} />)}
        <Line name="Subject" text={revision.subject || "(no subject)"} />
        <Line name="SHA-256" text={revision.sha256} />
      </dl>
      {revision.text !== null && <pre className={classes.body}>{revision.text}</pre>}
      {revision.html !== null && (
        <>
          <p className={classes.soft}>The HTML of the message, as source:</p>
          <pre className={classes.body}>{revision.html}</pre>
        </>
      )}
      {attachments.length > 0 && (
        <Group gap={6} aria-label="Attachments">
          {attachments.map(({ id, filename, size }) => (
            <Badge key={id} variant="light" color="gray" size="lg" tt="none">
              {filename ?? "attachment"} · {size.toLocaleString()} bytes
            </Badge>
          ))}
        </Group>
      )}
    </section>
  );
}

function Line({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  );
}
