// Builds subjects of replies and forwards: one prefix replaces those that mail programs added.

const SUBJECT_CHARS = 998;
const PREFIXES_MAX = 50;

const REPLY = `re aw antw sv vs res odp ynt rif bls atb vá отв ответ απ σχετ 回复 回覆 答复 答覆 返信 회신 답장`;
const FORWARD = `fwd fw wg tr rv enc doorst vb vl pd ilt i̇lt tov továbbítás πρθ пересл 转发 轉寄 轉發 転送 전달`;
/** Prefixes that Italian mail programs use only in capitals. */
const REPLY_CAPITALS = "R";
const FORWARD_CAPITALS = "I";

/** `Re:`, `RE: `, `Re[2]:`, `RE :`, `回复：`; sticky, and unambiguous, so that matching takes linear time. */
function prefixOf(words: string, capitals: string): RegExp {
  const each = words.split(" ").sort((a, b) => b.length - a.length);
  const upper = each.map((word) => word.toUpperCase());
  const titled = each.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const all = [...new Set([...each, ...upper, ...titled, capitals])].join("|");
  return new RegExp(`^(?:${all})(?:[[(]\\d{1,4}[\\])])?[\\s\\u00a0]?[:：]`);
}

const REPLY_PREFIX = prefixOf(REPLY, REPLY_CAPITALS);
const FORWARD_PREFIX = prefixOf(FORWARD, FORWARD_CAPITALS);

function without(prefix: RegExp, subject: string): string {
  let rest = subject.trim();
  for (let i = 0; i < PREFIXES_MAX; i += 1) {
    const found = prefix.exec(rest);
    if (!found) break;
    rest = rest.slice(found[0].length).trimStart();
  }
  return rest;
}

function prefixed(prefix: string, rest: string): string {
  return `${prefix} ${rest}`.slice(0, SUBJECT_CHARS).trimEnd().toWellFormed();
}

/** `Hi`, `AW: Re[2]: Hi` → `Re: Hi`; no subject → `Re:`. Forward prefixes stay. */
export function replySubject(subject: string): string {
  return prefixed("Re:", without(REPLY_PREFIX, subject));
}

/** `Hi`, `WG: Fwd: Hi` → `Fwd: Hi`; no subject → `Fwd:`. Reply prefixes stay. */
export function forwardSubject(subject: string): string {
  return prefixed("Fwd:", without(FORWARD_PREFIX, subject));
}
