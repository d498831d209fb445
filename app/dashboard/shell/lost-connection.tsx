// <LostConnection>: says that the service cannot be reached, keeps the page while that lasts, and then reads everything
// again and opens the link that was chosen in the meantime.
"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { IconRefresh } from "../../design/shell-icons.tsx";
import { reach, useIsLost } from "../reach.ts";
import classes from "./lost-connection.module.css";

const LINK = "a[href^='/dashboard']";

/** The link of a plain click inside the dashboard. */
function chosen(event: MouseEvent): HTMLAnchorElement | null {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return null;
  return event.target instanceof Element ? event.target.closest<HTMLAnchorElement>(LINK) : null;
}

/** Without the count that may stand beside it. */
function nameOf(link: HTMLAnchorElement): string {
  const own = [...link.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
  return own.map(({ textContent }) => textContent).join("") || (link.textContent ?? "");
}

export function LostConnection() {
  const isLost = useIsLost();
  const queries = useQueryClient();
  const router = useRouter();
  const [next, setNext] = useState<{ href: string; name: string } | null>(null);
  const wanted = useRef<string>(undefined);

  useEffect(() => {
    const offline = () => void reach.lost();
    window.addEventListener("offline", offline);
    return () => window.removeEventListener("offline", offline);
  }, []);

  useEffect(() => {
    if (!isLost) return;
    function keep(event: MouseEvent) {
      const link = chosen(event);
      if (!link) return;
      event.preventDefault();
      event.stopPropagation();
      wanted.current = link.pathname + link.search;
      setNext({ href: wanted.current, name: nameOf(link) });
    }
    document.addEventListener("click", keep, { capture: true });
    return () => {
      document.removeEventListener("click", keep, { capture: true });
      void queries.invalidateQueries();
      setNext(null);
      if (wanted.current !== undefined) router.push(wanted.current);
      wanted.current = undefined;
    };
  }, [isLost, queries, router]);

  return (
    <div role="status" className={classes.place}>
      {isLost && (
        <p className={classes.lost}>
          <IconRefresh size={17} aria-hidden />
          <span>
            <strong>Connection lost.</strong> This page stays as it is and reconnects automatically.
            {next && ` “${next.name.trim()}” opens then.`}
          </span>
        </p>
      )}
    </div>
  );
}
