// The guide on scale lists what of the schema has no organization, as the schema is.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connect } from "#db/client.ts";
import { createTestDatabase } from "#test/support/database.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "../../docs/guides/scale.md"), "utf8");

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let sql: ReturnType<typeof connect>;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { max: 1, fetch_types: false });
});

afterAll(async () => {
  await sql.end();
  await database.drop();
});

/** What a paragraph lists, of those whose first words are bold. */
function listed(...titles: string[]): string[] {
  const paragraphs = GUIDE.split("\n\n").filter((text) => titles.some((title) => text.startsWith(`**${title}`)));
  expect(paragraphs).toHaveLength(titles.length);
  return paragraphs.flatMap((text) => [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)).sort();
}

/** Tables, with whether each has the column. Partitions are part of theirs. */
const TABLES = `select c.oid, c.relname as name, exists (
    select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped) as owned
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;

it("names each unique rule without an organization", async () => {
  const rows = await sql.unsafe<{ rule: string }[]>(`
    select t.name || '(' || string_agg(a.attname, ',' order by k.n) || ')' as rule
    from (${TABLES}) t join pg_index i on i.indrelid = t.oid and i.indisunique
    cross join lateral unnest(i.indkey) with ordinality k(attnum, n)
    join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum
    where t.owned group by t.name, i.indexrelid having not 'organization_id' = any(array_agg(a.attname::text))`);
  const rules = listed("Unique within an organization", "Unique in the whole installation");
  expect(rules).toEqual(rows.map(({ rule }) => rule).sort());
});

it("names each table without an organization", async () => {
  const rows = await sql.unsafe<{ name: string }[]>(`select name from (${TABLES}) t where not owned`);
  expect(listed("Without an organization")).toEqual(rows.map(({ name }) => name).sort());
});

it("says how many indexes the table of mail has", async () => {
  const rows = await sql.unsafe("select from pg_index where indrelid = 'messages'::regclass");
  expect(GUIDE).toContain(`\`messages\` has ${rows.length} indexes.`);
});

it("names each foreign key between tables of an organization that leaves it out", async () => {
  const rows = await sql.unsafe<{ key: string }[]>(`
    select t.name || '(' || string_agg(a.attname, ',' order by k.n) || ')' as key
    from (${TABLES}) t join (${TABLES}) other on other.owned
    join pg_constraint f on f.contype = 'f' and f.conrelid = t.oid and f.confrelid = other.oid
    cross join lateral unnest(f.conkey) with ordinality k(attnum, n)
    join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum
    where t.owned group by t.name, f.oid having not 'organization_id' = any(array_agg(a.attname::text))`);
  expect(listed("Foreign keys between tables")).toEqual(rows.map(({ key }) => key).sort());
});
