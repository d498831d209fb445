// Next and React are the product's own, found in the folders above.
import { fileURLToPath } from "node:url";

export default { turbopack: { root: fileURLToPath(new URL("../../..", import.meta.url)) } };
