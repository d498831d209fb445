// Quotes a message below the text that answers it.
import { atOf, type Message } from "../thread/message.ts";

const QUOTED_CHARS = 10_000;
const date = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** "On Nov 23, 2026, 9:00 AM, Ann wrote:" and its lines after ">". */
export function quoteOf(message: Message): string {
  const text = (message.extracted_text ?? message.text ?? "").trim().slice(0, QUOTED_CHARS);
  const lines = text.split("\n").map((line) => (line.startsWith(">") ? `>${line}` : `> ${line}`));
  return `On ${date.format(new Date(atOf(message)))}, ${message.from_name ?? message.from} wrote:\n${lines.join("\n")}\n`;
}
