// The HTML of a mail, in a frame without scripts and requests (docs/decisions/021). The service serves the document
// with its own policy, so that no page can give it more rights.
"use client";
import { Alert, Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { IconArrowsMaximize, IconArrowsMinimize, IconPhotoOff } from "../../../design/icons.tsx";
import { useChosenOrganization } from "../../session/chosen-organization.ts";
import { useTRPC } from "../../trpc.ts";
import { type Quotes, UnfoldQuotes } from "./quotes.tsx";
import classes from "./thread.module.css";

/** The frame cannot report its height, so it is estimated from the number of visible lines. */
const LINE_REM = 1.5;
const LINE_CHARS = 70;
const LEAST_REM = 11;
const MOST_REM = 36;
/** This much markup is a layout, with images and spacing. */
const LAID_OUT_CHARS = 1_500;

function guessedHeight(text: string, htmlChars: number): string {
  if (htmlChars > LAID_OUT_CHARS) return `${MOST_REM}rem`;
  const lines = text.split("\n").reduce((sum, line) => sum + Math.ceil((line.length + 1) / LINE_CHARS), 0);
  return `${Math.min(MOST_REM, Math.max(LEAST_REM, 3 + lines * LINE_REM))}rem`;
}

/** `quotes`: undefined while they are looked for. */
type Props = {
  id: string;
  from: string;
  html: string;
  /** The visible text. */
  seen: string;
  /** The visible text without quotes. */
  fresh: string;
  quotes: Quotes | undefined;
};

export function HtmlFrame({ id, from, html, seen, fresh, quotes }: Props) {
  const trpc = useTRPC();
  const organization = useChosenOrganization();
  const [tall, setTall] = useState(false);
  const [withRemote, setWithRemote] = useState(false);
  const [withQuotes, setWithQuotes] = useState(false);
  const quotedChars = quotes?.html_chars ?? 0;
  const isFolded = quotedChars > 0 && !withQuotes;
  // Also checks the session before the frame could show an error.
  const { data, isSuccess } = useQuery(trpc.messages.shownHtml.queryOptions({ id }));
  const height = isFolded ? guessedHeight(fresh, html.length - quotedChars) : guessedHeight(seen, html.length);
  const query = new URLSearchParams({
    ...(organization !== null && { organization }),
    ...(withRemote && { pictures: "remote" }),
    ...(isFolded && { quotes: "folded" }),
  });
  const src = `/mail-html/${encodeURIComponent(id)}${query.size > 0 ? `?${query}` : ""}`;
  if (!isSuccess || !quotes) return <Skeleton height={height} />;
  const { remote, shortened } = data;
  return (
    <div>
      {remote.count > 0 && (
        <RemoteImages count={remote.count} hosts={remote.hosts} shown={withRemote} onShow={() => setWithRemote(true)} />
      )}
      {shortened && (
        <Alert color="yellow" mb="xs">
          This mail is very long. Only its beginning is shown. Open the source to see all of it.
        </Alert>
      )}
      <div className={classes.paper}>
        <iframe
          key={src}
          className={classes.frame}
          data-tall={tall || undefined}
          title={`Mail from ${from}`}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          referrerPolicy="no-referrer"
          src={src}
          style={{ height: tall ? undefined : height }}
        />
      </div>
      {quotedChars > 0 && <UnfoldQuotes isShown={withQuotes} onToggle={() => setWithQuotes(!withQuotes)} />}
      <Button
        mt={6}
        size="compact-xs"
        variant="subtle"
        color="gray"
        leftSection={tall ? <IconArrowsMinimize size={14} aria-hidden /> : <IconArrowsMaximize size={14} aria-hidden />}
        onClick={() => setTall(!tall)}
        aria-expanded={tall}
      >
        {tall ? "Collapse" : "Expand"}
      </Button>
    </div>
  );
}

type RemoteProps = { count: number; hosts: string[]; shown: boolean; onShow: () => void };

/** Says what was not loaded, and loads it through the service when the member agrees. */
function RemoteImages({ count, hosts, shown, onShow }: RemoteProps) {
  return (
    <p className={classes.blocked}>
      <IconPhotoOff size={16} aria-hidden />
      {shown ? (
        <span role="status">
          The service loaded the images, without your address or cookies. The sender can know that the mail was opened.
        </span>
      ) : (
        <>
          <span>
            {count} remote {count === 1 ? "image was" : "images were"} not loaded, so that the sender cannot track that
            you read this
            {hosts.length > 0 && <> ({hostsOf(hosts)})</>}.
          </span>
          <Button size="compact-xs" variant="default" className={classes.showRemote} onClick={onShow}>
            Show images
          </Button>
        </>
      )}
    </p>
  );
}

function hostsOf(hosts: string[]): string {
  const [shown, more] = [hosts.slice(0, 3), hosts.length - 3];
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}
