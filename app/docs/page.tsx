// The API reference: every operation of the OpenAPI document, to read and to try.
import type { Metadata } from "next";
import { Mark } from "../mark.tsx";
import { DOCUMENT_PATH } from "../service-document.ts";
import { Reference } from "./reference.tsx";
import "../globals.css";

export const metadata: Metadata = { title: "API reference" };

export default function ReferencePage() {
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="masthead">
        <a className="brand" href="/" aria-label="Mailberth, front page">
          <Mark />
          Mailberth
        </a>
        <nav aria-label="Mailberth">
          <a href="/">Front page</a>
          <a href={DOCUMENT_PATH}>OpenAPI document</a>
        </nav>
      </header>
      <main id="main">
        <h1>API reference</h1>
        <p className="section-lede">
          Every call this service answers, with its fields, examples and errors. Programs read the same from{" "}
          <a href={DOCUMENT_PATH}>
            <code>{DOCUMENT_PATH}</code>
          </a>
          .
        </p>
        <noscript>
          <p className="note">
            This page is drawn from the OpenAPI document by JavaScript. Without it, read{" "}
            <a href={DOCUMENT_PATH}>the document itself</a>.
          </p>
        </noscript>
        <Reference />
      </main>
    </>
  );
}
