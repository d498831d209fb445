// How servers say, without a code or under a vague one, that an address does not exist, or that something else is wrong.

const RECIPIENT = "(?:user|recipient|mailbox|account|addressee)";
/** Of a person's mailbox, and of nothing else. */
const ENGLISH_RECIPIENT = [
  `unknown (?:local )?${RECIPIENT}`,
  `${RECIPIENT}s? (?:name )?(?:is |was )?(?:unknown|not (?:found|known))`,
  `${RECIPIENT}s? (?:does not|doesn['’]t|no longer) exists?`,
  `no such (?:${RECIPIENT}|person)`,
  "no mailbox (?:here )?by that name",
  "(?:does not|doesn['’]t) have an? (?:\\S{1,64} )?(?:account|mailbox)",
  `invalid ${RECIPIENT}|non-?existent ${RECIPIENT}`,
  `not a (?:known|valid) ${RECIPIENT}`,
  `${RECIPIENT} (?:\\S{1,64} )?(?:is )?not (?:listed )?(?:in|on) (?![^.]{0,40}(?:allow|white|safe|permit|approv))(?:[\\w&-]{1,30} ){0,4}(?:list|table|directory|database|address book)`,
];
const OTHERS_RECIPIENT = [
  "нет такого (?:пользователя|адреса|ящика)|пользовател[ья] не (?:найден|существует)",
  "(?:ユーザー?|宛先|名前|ディレクトリ).{0,20}(?:ありません|見つかりません|存在しません)",
];
const ENGLISH = [
  "account has been disabled or discontinued",
  "unknown address",
  "address(?:es)? (?:is |was )?(?:unknown|not (?:found|known))",
  "(?:address|domain)(?:es|s)? (?:does not|doesn['’]t) exist",
  "no such (?:address|domain|host)",
  "(?:un?routeable|invalid) address|un?routeable (?:recipient|mailbox)",
  "non-?existent (?:hosts?|domain|address)",
  "(?:could not|couldn['’]t) find any host|host (?:or domain name )?not found|null ?mx",
];
const OTHERS = [
  "nicht bekannt|existiert nicht|bestaat niet|nicht im .{0,30}verzeichnis",
  "n['’]existe pas|no existe|não existe|non esiste",
  "nie istnieje|brak takiego|не существует|не найден",
  "不存在|存在しません|존재하지 않",
];

export const UNKNOWN_RECIPIENT = new RegExp(
  `\\b(?:${ENGLISH_RECIPIENT.join("|")})\\b|${OTHERS_RECIPIENT.join("|")}`,
  "i",
);
export const UNKNOWN_ADDRESS = new RegExp(
  `\\b(?:${[...ENGLISH_RECIPIENT, ...ENGLISH].join("|")})\\b|${[...OTHERS_RECIPIENT, ...OTHERS].join("|")}`,
  "i",
);

/** Of a mailbox that is gone, where nothing says that it is full or comes back. Relays say the same of an account of their own customers. */
export const CLOSED_MAILBOX =
  /\b(?:user|recipient|mailbox|addressee) (?:has been|is|was) (?:permanently )?(?:disabled|discontinued|deactivated|closed|deleted|terminated)\b/i;

/** Words to the author of the mail: a host or an address that is not found may then be the author's. */
export const OF_CUSTOMER = /\byour\b/i;

/** Words for the side that sends: what does not exist there is no fault of the recipient. */
export const OF_SENDER =
  /\b(?:sender|sending|outgoing|outbound|smtp account|mail from|from address|helo|ehlo|client|reverse|your(?! (?:e-?mail|mail|message)s?(?! (?:server|system|host|address|domain|account))\b)|ptr)\b|absender|expéditeur|remitente|remetente|mittente|afzender|nadawc|отправител|обратн|发件|發件|寄件|差出人|送信(?:者|元)|발신|보낸/i;

/** The sender's address is refused, where a code of the recipient's address stands before it. */
export const FROM_SENDER =
  /\b(?:sender(?:['’]?s)?|from (?:address(?:es)?|header|domain)|return[ -]path)\b|absender|expéditeur|remitente|remetente|mittente|отправител/i;

/** What a message holds, a mailbox that is full, a limit, and requests to try later: under a vague code, no fault of the address. */
export const ABOUT_MESSAGE = new RegExp(
  [
    "\\b(?:content|attachments?|virus|malware|infected|phishing|unsolicited|suspicious|too (?:large|big|long)|message size)\\b",
    "\\b(?:storage|disk space|(?:over|out of|exceed\\w*|its?) ?quota|quota|mailbox (?:is )?full|(?:is|are) full|(?:daily|hourly|size|sending|message|recipient|connection) limits?|limit (?:is |was )?(?:reached|exceeded))\\b",
    "\\b(?:(?:re)?try|(?:re)?send|come back|attempt)\\b[^.]{0,30}\\b(?:later|again)\\b|\\btemporar(?:y|ily)\\b|\\bthrottl|\\bgr[ae]ylist|\\boverload",
    "plus tard|später|más tarde|mais tarde|più tardi|позже|稍后|稍後|後で|나중에",
    "postfach (?:ist )?voll|speicherplatz|buz[óo]n lleno|boîte .{0,20}pleine|casella .{0,20}piena|caixa .{0,20}cheia|переполнен|已满|已滿|容量",
  ].join("|"),
  "i",
);

/** Who may write to a recipient, and from where: a vague code with such words is a policy, also where it speaks of the recipient. */
export const RESTRICTED =
  /\b(?:prohibit\w*|restrict\w*|not (?:allowed|permitted|authori[sz]ed|accept\w*)|(?:does|do|will) not (?:accept|allow|receive|want)|unauthori[sz]ed|only|(?<!no longer )accepts?|moderat\w*|members?|subscribers?|subscription|permissions?|approv\w*|polic\w*|exceed\w*|headers?|ip|dns|rdns|hosts?|networks?|country|listed|access (?:is )?denied|unwelcome|unwanted|callback|callout)\b|\d{1,3}(?:\.\d{1,3}){3}|verdacht|richtlinie|gesperrt|verweigert|erlaubt|bloqu|interdit|autoris|autoriz|permit|politique|política|запрещ|заблок|политик|拒绝|拒絕|拒否|차단/i;

/** Words for the recipient, or for its address. */
export const ABOUT_RECIPIENT =
  /\b(?:users?|recipients?|mailbox(?:es)?|accounts?|address(?:es)?|inbox|alias|person|customer|rcpt|local part)\b|empfänger|postfach|benutzer|adresse|destinatai?r|utilisateur|boîte|usuario|buz[óo]n|cuenta|dirección|usuário|caixa|conta\b|endereço|casella|utente|indirizzo|ontvanger|gebruiker|odbiorc|użytkownik|skrzynk|получател|пользовател|ящик|адрес|收件人|用户|用戶|邮箱|郵箱|信箱|宛先|受信者|ユーザ|수신자|사용자|받는 사람/i;
