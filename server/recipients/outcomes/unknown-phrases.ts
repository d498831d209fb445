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

/** Words for the side that sends: what does not exist there is no fault of the recipient. */
export const OF_SENDER =
  /\b(?:sender|sending|mail from|from address|helo|ehlo|client|reverse|your|ptr)\b|absender|expéditeur|remitente|remetente|mittente|afzender|nadawc|отправител|обратн|发件|發件|寄件|差出人|送信(?:者|元)|발신|보낸/i;
