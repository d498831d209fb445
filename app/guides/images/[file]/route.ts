// The images of the guides, as the build found them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = "docs/images";

export const dynamic = "force-static";
export const dynamicParams = false;

type Params = { file: string };

export function generateStaticParams(): Params[] {
  return readdirSync(join(process.cwd(), FOLDER)).map((file) => ({ file }));
}

export async function GET(_request: Request, { params }: { params: Promise<Params> }): Promise<Response> {
  const { file } = await params;
  return new Response(readFileSync(join(process.cwd(), FOLDER, file)), { headers: { "Content-Type": "image/png" } });
}
