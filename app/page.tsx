// The front page: what this service is, its addresses, how an agent enrolls, and its endpoints.
import { Addresses } from "./addresses.tsx";
import { Endpoints } from "./endpoints.tsx";
import { EnrolStory } from "./enrol-story.tsx";
import { Masthead } from "./masthead.tsx";
import { DOCUMENT_PATH } from "./service-document.ts";
import { ServiceHealth } from "./service-health.tsx";
import "./globals.css";

const FLOW = [
  { name: "An agent asks", text: "One call creates a mailbox with its own address." },
  { name: "Mail arrives", text: "Over SMTP. It is stored on disk before the sender gets 250." },
  {
    name: "Your code knows",
    text: "The service posts a signed webhook. Or a call waits for the mail, or a stream delivers it.",
  },
  { name: "The agent answers", text: "Through the same mailbox, under a daily cap that ramps." },
];

export default function FrontPage() {
  return (
    <>
      <Masthead label="On this page">
        <a href="#addresses">Addresses</a>
        <a href="#enrol">Enrol</a>
        <a href="#endpoints">Endpoints</a>
        <a href="/guides">Guides</a>
        <a href="/docs">API reference</a>
        <a href={DOCUMENT_PATH}>OpenAPI</a>
        <a href="/dashboard">Dashboard</a>
      </Masthead>
      <main id="main">
        <section className="hero" aria-labelledby="title">
          <div>
            <h1 id="title">Mail for software agents.</h1>
            <p className="lede">
              Every agent can create its own mailbox, read it and send from it. New mail reaches your code as a signed
              webhook. This service runs on your own machine, with your own domain.
            </p>
            <p className="actions">
              <a className="button" href="#enrol">
                First mailbox in four steps
              </a>
              <a className="quiet" href={DOCUMENT_PATH}>
                OpenAPI document
              </a>
            </p>
          </div>
          <ServiceHealth />
        </section>
        <section aria-labelledby="flow-title">
          <h2 id="flow-title" className="visually-hidden">
            How mail flows
          </h2>
          <ol className="flow">
            {FLOW.map((step) => (
              <li key={step.name}>
                <strong>{step.name}</strong>
                <span>{step.text}</span>
              </li>
            ))}
          </ol>
        </section>
        <noscript>
          <p className="note">
            The rest of this page is read from the service by JavaScript. Without it, everything is in{" "}
            <a href={DOCUMENT_PATH}>the OpenAPI document</a>.
          </p>
        </noscript>
        <Addresses />
        <EnrolStory />
        <Endpoints />
      </main>
      <footer>
        <p>Mailberth is open source under the Apache License 2.0.</p>
      </footer>
    </>
  );
}
