// Inflates the RTF that Outlook puts into `winmail.dat` (MS-OXRTFCP).

const INFLATED_BYTES = 8 * 1024 * 1024;
const WINDOW_BYTES = 4_096;
const COMPRESSED = 0x75465a4c;
const STORED = 0x414c454d;
/** The window starts with it. */
const KNOWN =
  "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

/** The RTF; empty if it is broken. */
export function inflateRtf(octets: Buffer): Buffer {
  if (octets.length < 16) return Buffer.alloc(0);
  const kind = octets.readUInt32LE(8);
  if (kind === STORED) return octets.subarray(16);
  if (kind !== COMPRESSED) return Buffer.alloc(0);
  const window = Buffer.alloc(WINDOW_BYTES, 0x20);
  let place = window.write(KNOWN, 0, "latin1");
  const found = Buffer.allocUnsafe(Math.min(octets.readUInt32LE(4), INFLATED_BYTES));
  let to = 0;
  const put = (octet: number) => {
    found[to++] = octet;
    window[place] = octet;
    place = (place + 1) % WINDOW_BYTES;
  };
  for (let at = 16; at < octets.length && to < found.length; ) {
    const flags = octets[at++] as number;
    for (let bit = 0; bit < 8 && at < octets.length && to < found.length; bit += 1) {
      if (((flags >> bit) & 1) === 0) put(octets[at++] as number);
      else {
        const pair = at + 1 < octets.length ? octets.readUInt16BE(at) : 0;
        at += 2;
        const from = pair >> 4;
        if (from === place) return found.subarray(0, to);
        for (let n = 0; n < (pair & 15) + 2 && to < found.length; n += 1)
          put(window[(from + n) % WINDOW_BYTES] as number);
      }
    }
  }
  return found.subarray(0, to);
}
