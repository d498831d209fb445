// The API reference: shows every operation of the OpenAPI document, and can call it.
import type { Metadata } from "next";
import { Masthead } from "../masthead.tsx";
import { DOCUMENT_PATH } from "../service-document.ts";
import { Reference } from "./reference.tsx";
import "../globals.css";
import classes from "./reference.module.css";

export const metadata: Metadata = { title: "API reference" };

export default function ReferencePage() {
  return (
    <>
      <Masthead label="Mailberth">
        <a href="/">Front page</a>
        <a href="/guides">Guides</a>
        <a href={DOCUMENT_PATH}>OpenAPI document</a>
        <a href="/dashboard">Dashboard</a>
      </Masthead>
      <main id="main" className={classes.wide}>
        <h1>API reference</h1>
        <p className="section-lede">
          Every API call, with its fields, examples and errors. The same as a file:{" "}
          <a href={DOCUMENT_PATH}>
            <code>{DOCUMENT_PATH}</code>
          </a>
          .
        </p>
        <noscript>
          <p className="note">
            JavaScript builds this page from the OpenAPI document. Without it, read{" "}
            <a href={DOCUMENT_PATH}>the document itself</a>.
          </p>
        </noscript>
        <Reference />
      </main>
    </>
  );
}
