// The answer of W7 from a Next route handler that has nothing to do.
export const dynamic = "force-dynamic";

export async function GET(_request, { params }) {
  const { addr } = await params;
  return Response.json({
    id: "inb_01jd3m9v5sf0b8j3mgz7qk2x4c",
    address: decodeURIComponent(addr),
    display_name: "",
    domain: "mail.localhost",
    status: "live",
    created_at: "2026-01-31T12:00:00.000Z",
    metadata: {},
  });
}
