// Fetches the document and the renderer, and shows the operations; before that a skeleton, and on failure what to do.
"use client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Unavailable } from "../unavailable.tsx";
import { fetchApiDocument } from "./api-document.ts";
import { KeyField } from "./key-field.tsx";
import classes from "./reference.module.css";
import type { Drawn } from "./renderer.ts";

const SKELETON_ROWS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];

/** About 450 KB compressed with its styles, so it is loaded only here, after the page. */
async function loadRenderer() {
  const { draw } = await import("./renderer.ts");
  return { draw };
}

function Skeleton() {
  return (
    <section aria-busy="true" aria-label="Loading the operations" className="skeletons">
      {SKELETON_ROWS.map((row) => (
        <span key={row} className={`skeleton ${classes.waiting}`} />
      ))}
    </section>
  );
}

export function Reference() {
  const document = useQuery({
    queryKey: ["api-document"],
    queryFn: ({ signal }) => fetchApiDocument(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const renderer = useQuery({
    queryKey: ["reference-renderer"],
    queryFn: loadRenderer,
    staleTime: Number.POSITIVE_INFINITY,
    // import() loads it from the cache or the network, even if the service is unavailable.
    networkMode: "always",
  });
  const place = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState<Drawn>();
  const api = document.data;
  const draw = renderer.data?.draw;

  useEffect(() => {
    if (!place.current || !api || !draw) return;
    const current = draw(place.current, api);
    setDrawn(current);
    return () => {
      setDrawn(undefined);
      current.remove();
    };
  }, [api, draw]);

  const failed = [document, renderer].find((query) => query.error);
  if (failed?.error) {
    const what = failed === document ? "The OpenAPI document" : "The viewer";
    return <Unavailable what={what} error={failed.error} retry={() => failed.refetch()} busy={failed.isFetching} />;
  }
  return (
    <>
      {api && <KeyField drawn={drawn} />}
      {api?.otherBases.map(({ url, description }) => (
        <p key={url} className="fine">
          <code>{url}</code> {description}
        </p>
      ))}
      {!drawn && <Skeleton />}
      <div ref={place} />
    </>
  );
}
