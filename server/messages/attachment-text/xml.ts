// Reads the tags and texts of an XML document, one after the other. DTDs and entities other than the five of XML are left out.

/** Linear: no part of it can match the same characters in two ways. */
const TOKEN = /<!\[CDATA\[([\s\S]*?)\]\]>|<[!?][^>]*>|<(\/?)([^\s<>/]+)([^<>]*)>|([^<]+)/g;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi;
const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const LAST_CODE_POINT = 0x10ffff;

export type XmlEvents = {
  /** `name` without its prefix. A tag that closes itself is opened and closed. */
  open(name: string, attribute: (name: string) => string | undefined): void;
  close(name: string): void;
  text(text: string): void;
};

export function readXml(xml: string, events: XmlEvents): void {
  for (const [, data, slash, tag = "", rest = "", text] of xml.matchAll(TOKEN)) {
    if (data !== undefined) events.text(data);
    else if (text !== undefined) events.text(decode(text));
    else if (tag) {
      const name = tag.slice(tag.indexOf(":") + 1);
      if (!slash) events.open(name, (wanted) => attributeOf(rest, wanted));
      if (slash || rest.endsWith("/")) events.close(name);
    }
  }
}

function attributeOf(rest: string, wanted: string): string | undefined {
  for (const [, name, double, single] of rest.matchAll(/([^\s=/]+)=(?:"([^"]*)"|'([^']*)')/g)) {
    if (name === wanted) return decode(double ?? single ?? "");
  }
  return undefined;
}

function decode(text: string): string {
  return text.replace(ENTITY, (_, decimal?: string, hex?: string, name?: string) => {
    if (name) return NAMED[name.toLowerCase()] ?? "";
    const point = decimal ? Number(decimal) : Number.parseInt(hex ?? "", 16);
    return point <= LAST_CODE_POINT ? String.fromCodePoint(point) : "";
  });
}
