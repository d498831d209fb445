// Reads the XML files of a ZIP archive, within limits of what they may inflate to.
import { unzipSync } from "fflate";

const FILES_MAX = 2_000;
/** All files that are read, inflated. The inflater never writes more than a file declares. */
const INFLATED_MAX_BYTES = 24 * 1024 * 1024;

/**
 * @param wanted whether to read the file of this name
 * @throws Error if the archive is broken or too large
 */
export function readZip(bytes: Uint8Array, wanted: (name: string) => boolean): Map<string, string> {
  let files = 0;
  let inflated = 0;
  const read = unzipSync(bytes, {
    filter({ name, originalSize }) {
      files += 1;
      if (files > FILES_MAX) throw new Error(`the archive has more than ${FILES_MAX} files`);
      if (!wanted(name)) return false;
      inflated += originalSize;
      if (inflated > INFLATED_MAX_BYTES) throw new Error("the archive is too large when it is unpacked");
      return true;
    },
  });
  const decoder = new TextDecoder();
  return new Map(Object.entries(read).map(([name, content]) => [name, decoder.decode(content)]));
}
