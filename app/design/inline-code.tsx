// <InlineCode>: a sentence of the API, in which `code` is set as code.

export function InlineCode({ text }: { text: string }) {
  return text.split(/(`[^`]+`)/).map((part, at) => {
    const key = `${at} ${part}`;
    return part.startsWith("`") ? <code key={key}>{part.slice(1, -1)}</code> : <span key={key}>{part}</span>;
  });
}
