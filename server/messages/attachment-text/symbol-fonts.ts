// The characters of fonts whose letters are pictures: `w` in Symbol is an omega. Word writes them by their place in the font.

/** Of each font: the place in hexadecimal, then the character of Unicode that looks like it. */
const FONTS: Record<string, string> = {
  symbol:
    "22∀ 24∃ 27∋ 2a∗ 2d− 40≅ 41Α 42Β 43Χ 44Δ 45Ε 46Φ 47Γ 48Η 49Ι 4aϑ 4bΚ 4cΛ 4dΜ 4eΝ 4fΟ 50Π 51Θ 52Ρ 53Σ 54Τ 55Υ 56ς 57Ω 58Ξ " +
    "59Ψ 5aΖ 5c∴ 5e⊥ 61α 62β 63χ 64δ 65ε 66φ 67γ 68η 69ι 6aϕ 6bκ 6cλ 6dμ 6eν 6fο 70π 71θ 72ρ 73σ 74τ 75υ 76ϖ 77ω 78ξ 79ψ 7aζ " +
    "7e∼ a0€ a1ϒ a2′ a3≤ a4⁄ a5∞ a6ƒ a7♣ a8♦ a9♥ aa♠ ab↔ ac← ad↑ ae→ af↓ b0° b1± b2″ b3≥ b4× b5∝ b6∂ b7• b8÷ b9≠ ba≡ bb≈ bc… " +
    "bf↵ c4⊗ c5⊕ c6∅ c7∩ c8∪ c9⊃ ca⊇ cb⊄ cc⊂ cd⊆ ce∈ cf∉ d0∠ d1∇ d2® d3© d4™ d5∏ d6√ d7⋅ d8¬ d9∧ da∨ db⇔ dc⇐ dd⇑ de⇒ df⇓ e0◊ " +
    "e5∑ f2∫",
  wingdings:
    "28☎ 2a✉ 2b✉ 36⌛ 41✌ 43👍 44👎 4a☺ 4b😐 4c☹ 6c● 6e■ 6f□ 71❑ 72❒ 73⬧ 74⧫ 75◆ 76❖ 77⬥ 80⓪ 81① 82② 83③ 84④ 85⑤ 86⑥ 87⑦ 88⑧ 89⑨ " +
    "8a⑩ 8b⓿ 8c❶ 8d❷ 8e❸ 8f❹ 90❺ 91❻ 92❼ 93❽ 94❾ 95❿ 9f• a1○ a7▪ a8◻ d8➢ df← e0→ e1↑ e2↓ e8➔ ef⇦ f0⇨ fb✗ fc✓ fd☒ fe☑",
  "wingdings 2": "4f✗ 50✓ 51☒ 52☑ 53☒ 54☒ 97● a3□",
};

const TABLES = new Map(
  Object.entries(FONTS).map(([font, list]) => [
    font,
    new Map(list.split(" ").map((each) => [Number.parseInt(each.slice(0, 2), 16), each.slice(2)])),
  ]),
);
/** Where Word puts the characters of such fonts: an area of Unicode without meanings. */
const PRIVATE_START = 0xf000;
const PRIVATE_END = 0xf0ff;
/** For a picture without a name: that something stands here is seen, and no wrong letter is. */
const UNKNOWN = "\u25a1";

/** @param place of the character in the font, in hexadecimal */
export function symbolOf(font: string | undefined, place: string | undefined): string {
  if (!place || !/^[0-9a-f]{1,5}$/i.test(place)) return "";
  const code = Number.parseInt(place, 16);
  const isPrivate = code >= PRIVATE_START && code <= PRIVATE_END;
  const octet = isPrivate ? code - PRIVATE_START : code;
  const table = TABLES.get((font ?? "").toLowerCase());
  const found = table?.get(octet);
  if (found !== undefined) return found;
  // Digits and marks of Symbol are as elsewhere.
  if (table === TABLES.get("symbol") && octet < 0x80) return String.fromCharCode(octet);
  return isPrivate || table !== undefined ? UNKNOWN : String.fromCodePoint(code);
}
