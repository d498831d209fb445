// The newest mail that arrived in any inbox: each row opens its thread.
"use client";
import { Anchor, Title } from "@mantine/core";
import { NearLink } from "../../design/near-link.tsx";
import { WarningTag } from "../mail/list/warning-tag.tsx";
import { placeHref } from "../mail/place.ts";
import { shortSender } from "../parts/short-sender.ts";
import { Time } from "../parts/time.tsx";
import type { Outputs } from "../trpc.ts";
import classes from "./overview.module.css";

export function NewestMail({ messages }: { messages: Outputs["messages"]["search"]["data"] }) {
  return (
    <section className={classes.panel} aria-labelledby="newest-mail">
      <div className={classes.head}>
        <Title order={2} id="newest-mail">
          Newest mail
        </Title>
        <Anchor component={NearLink} href="/dashboard/all-mail" size="sm" data-thumb>
          All mail
        </Anchor>
      </div>
      <ul className={classes.newest}>
        {messages.map((message) => (
          <li key={message.id}>
            <NearLink
              href={placeHref(message.inbox, message.thread_id)}
              className={classes.mail}
              data-unread={message.read ? undefined : true}
            >
              <bdi className={classes.who}>
                {!message.read && <span className="visually-hidden">Unread </span>}
                {shortSender(message)}
              </bdi>
              <span className={classes.subject}>
                <bdi>{message.subject || "(no subject)"}</bdi>
                {message.warning && <WarningTag warning={message.warning} />}
              </span>
              <span className={classes.inbox}>{message.inbox}</span>
              <span className={classes.when}>
                <Time at={message.received_at ?? null} plain />
              </span>
            </NearLink>
          </li>
        ))}
      </ul>
    </section>
  );
}
