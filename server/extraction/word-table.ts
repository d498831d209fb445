// Numbers the different words of a text without making a string of each, which costs several times as much.

const SLOTS_MIN = 64;
/** 2 MiB. Words that find no place are kept in a map. */
const SLOTS_MAX = 2 ** 19;
/** Strangers choose the words, and with them their places in the table: one that finds these taken is kept in a map. */
const PROBES = 16;
const PRIME = 0x01000193;

/** A word is a part of `text`. Linear in the length of the words, whatever they are. */
export function wordTable(text: string) {
  const size = Math.min(SLOTS_MAX, Math.max(SLOTS_MIN, text.length));
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(size)));
  const mask = slots.length - 1;
  const starts: number[] = [];
  const ends: number[] = [];
  const hashes: number[] = [];
  const crowded = new Map<string, number>();

  function add(start: number, end: number, hash: number): number {
    starts.push(start);
    ends.push(end);
    return hashes.push(hash) - 1;
  }

  function isWord(id: number, start: number, end: number): boolean {
    const before = (starts[id] as number) - start;
    if ((ends[id] as number) - before !== end) return false;
    for (let at = start; at < end; at += 1) if (text.charCodeAt(at) !== text.charCodeAt(at + before)) return false;
    return true;
  }

  function crowdedId(start: number, end: number, hash: number): number {
    const word = text.slice(start, end);
    const id = crowded.get(word) ?? add(start, end, hash);
    crowded.set(word, id);
    return id;
  }

  return {
    /** The number of the word between two places. A new one has as its number how many there were before it. */
    idOf(start: number, end: number): number {
      let hash = 0;
      for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
      hash ^= hash >>> 15;
      for (let probe = 0; probe < PROBES; probe += 1) {
        const slot = (hash + probe) & mask;
        const id = (slots[slot] as number) - 1;
        if (id < 0) {
          slots[slot] = starts.length + 1;
          return add(start, end, hash);
        }
        if (hashes[id] === hash && isWord(id, start, end)) return id;
      }
      return crowdedId(start, end, hash);
    },
    size: () => starts.length,
  };
}
