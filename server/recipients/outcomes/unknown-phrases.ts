// How servers say, without a code, that an address or its domain does not exist.

const ENGLISH = [
  "unknown (?:user|recipient|mailbox|address)",
  "(?:user|recipient|mailbox|address|account)s? (?:is |was )?(?:unknown|not (?:found|known))",
  "(?:user|recipient|mailbox|address|account|domain)s? (?:does not|doesn['’]t) exist",
  "no such (?:user|recipient|mailbox|address|person|domain|host)",
  "(?:does not|doesn['’]t) have an? (?:\\S{1,64} )?(?:account|mailbox)",
  "(?:un?routeable|invalid) (?:address|recipient|mailbox)",
  "non-?existent (?:hosts?|domain|user|mailbox|address)",
  "(?:could not|couldn['’]t) find any host|host (?:or domain name )?not found|null ?mx",
];
const OTHERS = [
  "nicht bekannt|existiert nicht|bestaat niet",
  "n['’]existe pas|no existe|não existe|non esiste",
  "nie istnieje|brak takiego|не существует|не найден",
  "不存在|存在しません|존재하지 않",
];

export const UNKNOWN_ADDRESS = new RegExp(`\\b(?:${ENGLISH.join("|")})\\b|${OTHERS.join("|")}`, "i");
