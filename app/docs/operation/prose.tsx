// <Prose>: a description of the document: paragraphs, numbered lists and `code`.
import { InlineCode } from "../../design/inline-code.tsx";

const NUMBERED = /^\d+\. /;

export function Prose({ text }: { text: string }) {
  return text.split("\n\n").map((paragraph) => {
    const lines = paragraph.split("\n");
    if (lines.every((line) => NUMBERED.test(line))) {
      return (
        <ol key={paragraph}>
          {lines.map((line) => (
            <li key={line}>
              <InlineCode text={line.replace(NUMBERED, "")} />
            </li>
          ))}
        </ol>
      );
    }
    return (
      <p key={paragraph}>
        <InlineCode text={paragraph} />
      </p>
    );
  });
}
