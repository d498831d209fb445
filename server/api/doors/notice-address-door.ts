// Serves the links of emails that ask an address whether it wants notices: GET shows the question and changes nothing,
// because scanners open links; POST decides.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { escapeHtml } from "../../base/escape-html.ts";
import { queryOf } from "../../base/request-target.ts";
import { type AddressState, decideByToken, findByToken, NOTICES_BASE } from "../../system-mail/addresses.ts";
import { foreignLine } from "../../system-mail/foreign.ts";
import { type DoorNeeds, problemPage, sendLinkPage, takeLinkRequest } from "./link-page.ts";

const TITLE = "Notices";
const DONE = {
  confirm: "This address now gets the notices. To stop them, open this link again.",
  refuse: "This address gets no notices of this organization.",
};
const STATES: Record<AddressState, string> = {
  member: "It belongs to a member of the organization and gets the notices.",
  confirmed: "It gets the notices.",
  pending: "It gets no notices until you confirm it.",
  refused: "It gets no notices, because they were refused.",
};
const GET_THEM = '<form method="post" action="?decision=confirm"><button>Get the notices</button></form>';
const REFUSE = '<form method="post" action="?decision=refuse"><button>Refuse the notices</button></form>';

type Decision = keyof typeof DONE;
type Page = { status: number; content: string };

export const isNoticeAddress = (path: string) => path.startsWith(NOTICES_BASE);

/**
 * Answers one request below /notices; `route` is its path for logs and metrics.
 * @throws ServiceError `method_not_allowed`, `rate_limited`
 */
export async function handleNoticeAddress(needs: DoorNeeds, req: IncomingMessage, res: ServerResponse, path: string) {
  const { services } = needs;
  const method = takeLinkRequest(needs, req);
  const token = path.slice(NOTICES_BASE.length);
  const work = method === "POST" ? decide(services, token, req) : show(services, token);
  sendLinkPage(res, method, { title: TITLE, ...(await work.catch(problemPage)) });
  return { door: "notices", route: `${NOTICES_BASE}{token}` };
}

async function show(services: Services, token: string): Promise<Page> {
  const { address, organization, state } = await findByToken(services, token);
  const question = `<h1>Notices for ${escapeHtml(address)}</h1><p>An organization on this service named this address for its notices. ${STATES[state]}</p>`;
  const name = `<dl><dt>Organization</dt><dd>${escapeHtml(foreignLine(organization))}</dd></dl>`;
  const forms =
    state === "member" ? "" : `${state === "confirmed" ? "" : GET_THEM}${state === "refused" ? "" : REFUSE}`;
  return { status: 200, content: `${question}${name}${forms}` };
}

async function decide(services: Services, token: string, req: IncomingMessage): Promise<Page> {
  const decision = decisionOf(req);
  await decideByToken(services, token, decision);
  return { status: 200, content: `<h1>Done</h1><p>${DONE[decision]}</p>` };
}

function decisionOf(req: IncomingMessage): Decision {
  const given = queryOf(req).get("decision");
  if (given === "confirm" || given === "refuse") return given;
  throw new ServiceError("invalid_request", "`decision` is confirm or refuse.");
}
