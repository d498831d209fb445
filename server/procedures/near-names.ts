// Finds what an unknown field was meant to be: another spelling, the name that other services use, or a slip of the keys.
import leven from "leven";

/** A longer name has no near name: the distance of two names costs time in proportion to both lengths. */
const NAME_CHARS = 40;
/** Edits between a name and its near name: one for short names. */
const MOST_EDITS = 2;
const SHORT_CHARS = 4;

/** Names of other services, and our names for the same thing. The first known one is meant. */
const ELSEWHERE_NAMES: Record<string, string[]> = {
  api_key: ["token"],
  body: ["text"],
  body_html: ["html"],
  body_text: ["text"],
  callback_url: ["url", "inbound_webhook_url"],
  content: ["content_base64", "text"],
  data: ["content_base64"],
  email: ["to", "address", "username"],
  email_address: ["address", "username"],
  enabled: ["active"],
  endpoint: ["url"],
  event: ["events"],
  event_types: ["events"],
  friendly_name: ["display_name"],
  full_name: ["display_name", "agent_name"],
  handle: ["agent_handle"],
  html_body: ["html"],
  inbox: ["address"],
  inbox_id: ["inbox", "address"],
  is_read: ["read"],
  local_part: ["username"],
  mailbox: ["inbox", "address"],
  max_results: ["limit"],
  message: ["text"],
  mime_type: ["content_type"],
  name: ["display_name", "filename", "agent_name", "username"],
  offset: ["cursor"],
  page: ["cursor"],
  page_size: ["limit"],
  page_token: ["cursor"],
  per_page: ["limit"],
  plain_text: ["text"],
  prefix: ["username"],
  query: ["q"],
  recipient: ["to"],
  recipients: ["to"],
  scheduled_at: ["send_at"],
  search: ["q"],
  seen: ["read"],
  send_at: ["scheduled_at"],
  since: ["after", "since"],
  starting_after: ["cursor"],
  tags: ["labels"],
  text_body: ["text"],
  timeout: ["timeout_seconds"],
  timeout_ms: ["timeout_seconds"],
  title: ["subject"],
  type: ["content_type", "events"],
  until: ["before", "until"],
  webhook_url: ["inbound_webhook_url", "url"],
};
const ELSEWHERE = new Map(Object.entries(ELSEWHERE_NAMES).map(([name, ours]) => [plainName(name), ours] as const));
/** Names that have no field here, and where what they say comes from. */
const EXPLAINED: Record<string, string> = {
  from: "the sender is the mailbox in the path, with its `display_name`",
  headers: "the service writes the headers",
};

/** What to say after "unknown field": a hint, or nothing. */
export function hintFor(name: string, known: string[]): string {
  if (name.length > NAME_CHARS) return "";
  const plain = plainName(name);
  const near = known.find((each) => plainName(each) === plain) ?? elsewhere(plain, known) ?? nearest(name, known);
  if (near) return `; did you mean \`${near}\`?`;
  const explained = known.includes("to") && Object.hasOwn(EXPLAINED, plain) ? EXPLAINED[plain] : undefined;
  return explained ? `; ${explained}` : "";
}

/** `displayName`, `display-name` and `DISPLAY_NAME` are all `displayname`. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}

function elsewhere(plain: string, known: string[]): string | undefined {
  return ELSEWHERE.get(plain)?.find((each) => known.includes(each));
}

function nearest(name: string, known: string[]): string | undefined {
  const most = name.length <= SHORT_CHARS ? 1 : MOST_EDITS;
  const near = known
    .filter((each) => Math.abs(each.length - name.length) <= most && each.length > most)
    .map((each) => ({ each, edits: leven(name, each) }))
    .filter(({ edits }) => edits <= most);
  return near.sort((a, b) => a.edits - b.edits)[0]?.each;
}
