// Writes text as HTML, in an element or in an attribute with double quotes.
const ENTITIES = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
]);

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES.get(character) ?? "");
}
