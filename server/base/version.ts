// The version of this service, as package.json has it.
import packageJson from "../../package.json" with { type: "json" };

export const version: string = packageJson.version;
