// <Prose>: a description of the document: paragraphs, numbered lists and `code`.

const NUMBERED = /^\d+\. /;

function Inline({ text }: { text: string }) {
  return text.split(/(`[^`]+`)/).map((part, at) => {
    const key = `${at} ${part}`;
    return part.startsWith("`") ? <code key={key}>{part.slice(1, -1)}</code> : <span key={key}>{part}</span>;
  });
}

export function Prose({ text }: { text: string }) {
  return text.split("\n\n").map((paragraph) => {
    const lines = paragraph.split("\n");
    if (lines.every((line) => NUMBERED.test(line))) {
      return (
        <ol key={paragraph}>
          {lines.map((line) => (
            <li key={line}>
              <Inline text={line.replace(NUMBERED, "")} />
            </li>
          ))}
        </ol>
      );
    }
    return (
      <p key={paragraph}>
        <Inline text={paragraph} />
      </p>
    );
  });
}
