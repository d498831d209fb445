// The icon of every page. It is no metadata file of Next, whose link would make the browser get the icon twice.
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <title>Mailberth</title>
  <rect width="32" height="32" rx="7" fill="#0f3d4c"/>
  <path d="M6.5 8.5h19v11h-19z" fill="#faf8f3"/>
  <path d="M6.5 8.5 16 15.5l9.5-7" fill="none" stroke="#d9542b" stroke-width="2.2" stroke-linejoin="round"/>
  <path d="M4 24.5c2 0 2-1.6 4-1.6s2 1.6 4 1.6 2-1.6 4-1.6 2 1.6 4 1.6 2-1.6 4-1.6 2 1.6 4 1.6" fill="none" stroke="#7fc4cf" stroke-width="2" stroke-linecap="round"/>
</svg>
`;

export const dynamic = "force-static";

export function GET(): Response {
  return new Response(ICON, { headers: { "Content-Type": "image/svg+xml" } });
}
