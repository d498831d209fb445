// The front page: what this service does, shown by one mail, the calls that do it, and its addresses.
import { Addresses } from "./addresses.tsx";
import { Doors } from "./doors.tsx";
import { Masthead } from "./masthead.tsx";
import { DOCUMENT_PATH } from "./service-document.ts";
import "./globals.css";

const FLOW = [
  { name: "An agent asks", text: "One call creates a mailbox with its own address." },
  { name: "Mail arrives", text: "Over SMTP. It is stored on disk before the sender gets 250." },
  {
    name: "Your code knows",
    text: "A call waits for the mail, the service posts a signed webhook, or a stream delivers it.",
  },
  { name: "The agent answers", text: "Through the same mailbox, under a daily cap that ramps." },
];

export default function FrontPage() {
  return (
    <>
      <Masthead label="Mailberth">
        <a href="/guides">Guides</a>
        <a href="/docs">API reference</a>
        <a href="/dashboard">Dashboard</a>
      </Masthead>
      <main id="main">
        <section className="hero" aria-labelledby="title">
          <div>
            <h1 id="title">Mail for software agents.</h1>
            <p className="lede">
              One call gives an agent its own mailbox. The next call returns the code in the mail that arrives. On your
              own machine, with your own domain.
            </p>
            <p className="actions">
              <a className="button" href="#calls">
                See the two calls
              </a>
              <a className="quiet" href="/guides/quickstart">
                Quickstart
              </a>
            </p>
          </div>
          <Example />
        </section>
        <noscript>
          <p className="note">
            The rest of this page is read from the service by JavaScript. Without it, everything is in{" "}
            <a href={DOCUMENT_PATH}>the OpenAPI document</a>.
          </p>
        </noscript>
        <Doors />
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
        <Addresses />
      </main>
      <footer>
        <p>Mailberth is open source under the Apache License 2.0.</p>
      </footer>
    </>
  );
}

/** A mailbox in which a mail arrives, and what the waiting call returns. Its parts appear one after the other. */
function Example() {
  return (
    <figure className="example" aria-label="A mail arrives, and the waiting call returns its code">
      <p className="example-call">
        <code>POST /v1/inboxes</code>
      </p>
      <p className="example-box">scout@agents.example</p>
      <p className="example-call">
        <code>POST …/wait</code>
      </p>
      <div className="example-mail">
        <strong>Acme Shop</strong>
        <span className="fine">just now</span>
        <span>Your sign-in code is 482913</span>
      </div>
      <p className="example-code">
        <code>
          {'{"extracted": {"otp": '}
          <b>"482913"</b>
          {", … }}"}
        </code>
      </p>
    </figure>
  );
}
