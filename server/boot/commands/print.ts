// Prints what an operator's command gives: for a person, or as one JSON object.

/** Characters; a longer name moves its value. */
const NAME_WIDTH = 18;

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (typeof value !== "object" || value === null) return String(value ?? "–");
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${textOf(inner)}`)
    .join(", ");
}

/** A line for each field; an empty line between the rows of a list. */
export function describe(result: object): string {
  const rows = "data" in result && Array.isArray(result.data) ? (result.data as object[]) : [result];
  if (rows.length === 0) return "None yet.";
  return rows
    .map((row) =>
      Object.entries(row)
        .map(([name, value]) => `${name.padEnd(NAME_WIDTH)} ${textOf(value)}`)
        .join("\n"),
    )
    .join("\n\n");
}
