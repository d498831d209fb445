// What paged lists do alike, as tests that each list's own file registers: limits and cursors.
import { describe, expect, test } from "vitest";
import type { Api, Page } from "#test/support/api.ts";
import type { TestService } from "#test/support/service.ts";

type List = {
  /** The list's path, for a fresh organization's key. */
  pathFor(key: string): Promise<string>;
  /** Adds one item and gives its id. */
  add(key: string, path: string): Promise<string>;
  remove?(key: string, id: string): Promise<void>;
  /** A list of other things, which holds some when this one does; its cursors are no good here. */
  otherList?: string;
};

const BAD_LIMITS = [
  "0",
  "-1",
  "101",
  "1e9",
  "abc",
  "",
  "1.5",
  "NaN",
  "null",
  "9007199254740993",
  "1&limit=2",
  "%00",
  "%D9%A1",
];

/** Registers tests of `limit` and `cursor`. */
export function describePages(service: TestService, client: Api, { pathFor, add, remove, otherList }: List): void {
  type Listed = Page<{ id: string }>;
  const page = (key: string, path: string, query: string) => client.get<Listed>(`${path}?${query}`, { key });
  const ids = ({ data }: Listed) => data.map(({ id }) => id);

  async function filled(items: number) {
    const { agentKey: key } = await service.newOrganization();
    const path = await pathFor(key);
    const added: string[] = [];
    for (let i = 0; i < items; i += 1) added.unshift(await add(key, path));
    return { key, path, added };
  }

  describe("pages", () => {
    test("of any size, each item once, over inserts and deletes between them", async () => {
      const { key, path, added } = await filled(5);
      const first = (await page(key, path, "limit=2")).body;
      expect(ids(first)).toEqual(added.slice(0, 2));
      const later = await add(key, path);
      if (remove) await remove(key, added[1] as string);
      const second = (await page(key, path, `limit=2&cursor=${first.next_cursor}`)).body;
      expect(ids(second)).toEqual(added.slice(2, 4));
      if (remove) await remove(key, added[3] as string);
      const third = (await page(key, path, `cursor=${second.next_cursor}&limit=1`)).body;
      expect(third).toMatchObject({ data: [{ id: added[4] }], next_cursor: null });
      expect(ids((await page(key, path, "limit=100")).body)[0]).toBe(later);
      expect(ids((await page(key, path, `limit=2&cursor=${first.next_cursor}`)).body)).toHaveLength(2);
    });

    test("of exactly what there is have no next", async () => {
      const { key, path, added } = await filled(2);
      const exact = (await page(key, path, "limit=2")).body;
      expect([ids(exact), exact.next_cursor]).toEqual([added, null]);
      const one = (await page(key, path, "limit=1")).body;
      expect(one.next_cursor).toMatch(/^[\w-]+$/);
    });

    test("hold 50 unless told otherwise; empty ones are ignored", async () => {
      const { key, path } = await filled(1);
      for (const query of ["", "limit=50", "&&", "cursor=", "limit=50&cursor="]) {
        expect([query, (await page(key, path, query)).status]).toEqual([query, 200]);
      }
    });
  });

  describe("400 of the list", () => {
    test("a limit that is no whole number from 1 to 100", async () => {
      const { key, path } = await filled(0);
      for (const limit of BAD_LIMITS) {
        const { status, body } = await client.get(`${path}?limit=${limit}`, { key });
        expect([limit, status, body.error.code]).toEqual([limit, 400, "invalid_request"]);
        expect(body.error.issues?.[0]?.path).toBe("limit");
      }
    });

    test("a cursor that is forged, truncated, another organization's or another list's", async () => {
      const [mine, theirs] = [await filled(2), await filled(2)];
      const cursorOf = async ({ key, path }: typeof mine) => (await page(key, path, "limit=1")).body.next_cursor ?? "";
      const [cursor, foreign] = [await cursorOf(mine), await cursorOf(theirs)];
      const flipped = (cursor.startsWith("A") ? "B" : "A") + cursor.slice(1);
      const last = cursor.slice(0, -1) + (cursor.endsWith("A") ? "Q" : "A");
      const bad = ["x", "null", "0", mine.added[0] as string, cursor.slice(1), cursor.slice(0, -1), `${cursor}A`];
      bad.push(
        flipped,
        last,
        foreign,
        `${cursor}=`,
        encodeURIComponent(`${cursor}\n`),
        "a".repeat(500),
        "%00",
        "A".repeat(43),
      );
      for (const forged of bad) {
        const { status, body } = await client.get(`${mine.path}?cursor=${forged}`, { key: mine.key });
        expect([forged, status, body.error.code]).toEqual([forged, 400, "invalid_cursor"]);
      }
      expect((await client.get(`${mine.path}?cursor=${cursor}&cursor=${cursor}`, { key: mine.key })).status).toBe(400);
      if (otherList) {
        const { status, body } = await client.get(`${otherList}?cursor=${cursor}`, { key: mine.key });
        expect([status, body.error.code]).toEqual([400, "invalid_cursor"]);
      }
    });
  });
}
