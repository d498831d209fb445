// The version of this service, from package.json.
import packageJson from "../../package.json" with { type: "json" };

export const version: string = packageJson.version;
