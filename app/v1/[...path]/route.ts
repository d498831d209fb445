// The REST API under `next start` and `next dev`.
import { answer } from "../../next-door.ts";

export const dynamic = "force-dynamic";
export {
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as OPTIONS,
  answer as PATCH,
  answer as POST,
  answer as PUT,
};
