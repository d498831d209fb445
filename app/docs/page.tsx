// The API reference: every operation of the OpenAPI document, to read and to try.
import type { Metadata } from "next";
import { Masthead } from "../masthead.tsx";
import { DOCUMENT_PATH } from "../service-document.ts";
import { Reference } from "./reference.tsx";
import "../globals.css";

export const metadata: Metadata = { title: "API reference" };

export default function ReferencePage() {
  return (
    <>
      <Masthead label="Mailberth">
        <a href="/">Front page</a>
        <a href={DOCUMENT_PATH}>OpenAPI document</a>
      </Masthead>
      <main id="main">
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
            This page is drawn from the OpenAPI document by JavaScript. Without it, read{" "}
            <a href={DOCUMENT_PATH}>the document itself</a>.
          </p>
        </noscript>
        <Reference />
      </main>
    </>
  );
}
