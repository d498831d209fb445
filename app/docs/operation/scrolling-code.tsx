// <ScrollingCode>: code that scrolls sideways, also by the keyboard.
export function ScrollingCode({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  );
}
