// The words with which mail clients introduce quotes, forwards and signatures, in thirteen languages and their neighbours.

/** Longest line that is looked at: a client's own lines are short, and patterns cost no more than this. */
export const PHRASE_CHARS = 500;

/** Ends an attribution: "On …, Ann wrote:". */
const VERB_LAST =
  /(?:^|[\s>)\]"'\d,、，])(?:wrote|writes|said|schrieb|schreibt|(?:a\s+)?écrit|escribió|escribio|escreveu|(?:ha\s+)?scritto|schreef(?:\s+het\s+volgende)?|napisał(?:\(a\)|a|\/a)?|pisze|yazdı|пишет|написала?|написал\(а\)|skrev|kirjoitti)\s*[:：]$/iu;
const VERB_LAST_CJK =
  /(?:写道|寫道|写到|のメール|のメッセージ|(?:書|か)きました|wrote|작성|작성했습니다|쓴\s?글|썼습니다)\s*[:：]$/u;
/** Stands within one: "Am … schrieb Max <…>:", "Ann/Org wrote on …:". */
const VERB_WITHIN =
  /(?:^|[\s>)\]"'\d,])(?:wrote on|schrieb(?: am)?|schreef|skrev|kirjoitti|napisana przez|yazdı|escribió|escreveu|scritto|écrit|написал(?:а|\(а\))?)[\s(<]/iu;
const ADDRESS_LAST = /<?[^\s<>]+@[^\s<>]+[>\])]+\s*[:：]$/u;
const CLOCK = /\d{1,2}\s?[:.h時时시]\s?\d{2}/u;
const YEAR = /(?:^|\D)(?:19|20)\d{2}(?:\D|$)|\d{1,2}[./-]\d{1,2}[./-]\d{2}/u;
const BEGINS =
  /^(?:(?:On|At|Am|Le|El|Em|No dia|Il|In data|Op|W dniu|Dnia|Den|Wiadomość|在|于|於)[\s\d]|在|\d{1,4}[./年년\s-]|\p{L}{2,4}[.,]{1,2}\s)|[<(]\S+@/u;

type Attribution = "certain" | "likely";

/**
 * Whether a line, or lines joined by spaces, introduces a quote. Without a date ("Ann wrote:") it is only likely: people
 * write that, too.
 */
export function attributionOf(line: string): Attribution | undefined {
  if (line.length > PHRASE_CHARS) return undefined;
  const isDated = CLOCK.test(line) || YEAR.test(line);
  // "---- On … Ann wrote ----" (Zoho), "-----Ann/Org wrote: -----" (Notes).
  const inside = /^[-‐]{2}.*[-‐]{2}$/.test(line) ? `${line.replace(/^[-‐\s]+/, "").replace(/[-‐:\s]+$/, "")}:` : "";
  if (VERB_LAST.test(inside) || VERB_LAST_CJK.test(inside)) return "certain";
  if (VERB_LAST.test(line) || VERB_LAST_CJK.test(line)) return isDated ? "certain" : "likely";
  if (!/[:：]$/.test(line) || !isDated) return undefined;
  return VERB_WITHIN.test(line) || (ADDRESS_LAST.test(line) && CLOCK.test(line)) ? "certain" : undefined;
}

/** Whether a line can be the first of an attribution that goes on in the next. */
export function beginsAttribution(line: string): boolean {
  return BEGINS.test(line.slice(0, PHRASE_CHARS));
}

const list = (text: string) => new Set(text.split("|"));

const ORIGINAL = list(
  "original message|original email|reply message|ursprüngliche nachricht|originalnachricht|original-nachricht|" +
    "message d'origine|message d’origine|message original|message initial|mensaje original|mensagem original|messaggio originale|" +
    "oorspronkelijk bericht|origineel bericht|wiadomość oryginalna|oryginalna wiadomość|orijinal mesaj|orijinal ileti|özgün ileti|" +
    "исходное сообщение|оригинальное сообщение|原始邮件|原始郵件|邮件原件|原邮件|元のメッセージ|元のメール|원본 메시지|원본 메일|" +
    "opprinnelig melding|oprindelig meddelelse|ursprungligt meddelande|" +
    "forwarded message|begin forwarded message|weitergeleitete nachricht|anfang der weitergeleiteten nachricht|message transféré|" +
    "message transmis|début du message transféré|début du message réexpédié|mensaje reenviado|inicio del mensaje reenviado|" +
    "mensagem encaminhada|mensagem reencaminhada|início da mensagem encaminhada|início da mensagem reencaminhada|" +
    "messaggio inoltrato|inizio messaggio inoltrato|doorgestuurd bericht|begin doorgestuurd bericht|przekazana wiadomość|" +
    "wiadomość przekazana|treść przekazanej wiadomości|początek przekazywanej wiadomości|iletilen mesaj|iletilmiş mesaj|" +
    "yönlendirilmiş ileti|yönlendirilen mesaj|iletilen mesajın başlangıcı|пересылаемое сообщение|пересланное сообщение|" +
    "начало переадресованного сообщения|начало пересылаемого сообщения|转发的邮件|转发邮件信息|下面是被转发的邮件|轉寄的郵件|" +
    "轉寄郵件|開始轉寄郵件|転送されたメッセージ|転送メッセージ|전달된 메시지|전달된 메일|전달된 메시지 시작",
);

/** "-----Original Message-----", "Begin forwarded message:" and their like. */
export function startsOriginal(line: string): boolean {
  if (line.length > PHRASE_CHARS) return false;
  const words = line.replace(/^[-‐–—_=*>\s]+/, "").replace(/[-‐–—_=*:：\s]+$/u, "");
  const isMarked = /^\*?[-‐–—_=]{2}/.test(line) || /[:：]$/.test(line);
  return isMarked && ORIGINAL.has(words.toLowerCase());
}

type Role = "from" | "date" | "to" | "subject";

const ROLES: [Role, string][] = [
  [
    "from",
    "from|von|absender|de|expéditeur|da|van|od|kimden|gönderen|от|от кого|发件人|寄件人|寄件者|差出人|送信者|送信元|보낸 사람|보낸사람|fra|från",
  ],
  [
    "date",
    "sent|date|gesendet|datum|envoyé|envoyé le|enviado|enviado el|enviada em|enviado em|enviada|fecha|data|inviato|verzonden|" +
      "wysłano|wysłane|data wysłania|gönderme tarihi|gönderildi|gönderilme tarihi|tarih|отправлено|дата|发送时间|发送日期|日期|时间|" +
      "寄件日期|傳送時間|日時|日付|送信日時|送信日|날짜|보낸 날짜|보낸날짜|sendt|skickat",
  ],
  [
    "to",
    "to|an|à|a|para|pour|destinataire|aan|do|kime|alıcı|кому|收件人|收件者|宛先|받는 사람|받는사람|til|till|cc|kopie|copie|copia|copia a|" +
      "cópia|dw|bilgi|копия|抄送|副本|参照|참조",
  ],
  [
    "subject",
    "subject|betreff|objet|asunto|assunto|oggetto|onderwerp|temat|konu|тема|主题|主旨|主題|件名|제목|emne|ämne",
  ],
];
const LABELS = new Map(
  ROLES.flatMap(([role, labels]) => labels.split("|").map((label): [string, Role] => [label, role])),
);
const LABEL_CHARS = 30;

/** What a header line that a client wrote into a body says: "Sent: …" is a date. */
export function headerRole(line: string): Role | undefined {
  const colon = line.slice(0, LABEL_CHARS).search(/[:：]/);
  if (colon < 0) return undefined;
  const label = line.slice(0, colon).replace(/[*_]/g, "").trim().toLowerCase();
  return LABELS.get(label);
}

const SENT_FROM = [
  /^(?:Sent (?:from|via|with|using)|Get Outlook for|Download Outlook|Outlook for (?:iOS|Android))\b/i,
  /^(?:Von meinem .* gesendet|Gesendet (?:von|vom|mit|via|aus)|Diese Nachricht wurde von meinem|Outlook für)(?:\s|$)/i,
  /^(?:Envoyé (?:de|depuis|à partir|avec|via)|Télécharger? Outlook|Obtenir Outlook|Téléchargez Outlook)(?:\s|$)/i,
  /^(?:Enviado (?:desde|do|de|a partir|con|com|via|pelo)|Obtener Outlook|Obter o Outlook|Obtenha o Outlook|Baixe o Outlook)(?:\s|$)/i,
  /^(?:Inviato (?:da|dal|con)|Scarica Outlook|Ottieni Outlook)(?:\s|$)/i,
  /^(?:Verzonden (?:vanaf|met|via)|Verstuurd (?:vanaf|met|via)|Outlook (?:voor|downloaden)|Download Outlook)(?:\s|$)/i,
  /^(?:Wysłan[oe] (?:z|za)|Pobierz (?:program )?Outlook)(?:\s|$)/i,
  /(?:gönderildi|gönderilmiştir)\.?$|^(?:iOS|Android) için Outlook/i,
  /^(?:Отправлено (?:с|из|через)|Скачать Outlook)(?:\s|$)/i,
  /^(?:发自我的|發自我的|从我的|從我的|发自|來自我的|来自我的)|^(?:下载|获取|取得) ?(?:适用于 \S+ 的 )?Outlook/,
  /(?:から送信|から送信されました|からの送信)。?$|を入手$/,
  /(?:에서|에서 내) 보냄$|에서 전송됨?$|^(?:나의|내) \S+에서 /,
];
const SENT_FROM_CHARS = 120;

/** "Sent from my iPhone" and what other clients add without a delimiter. */
export function isSentFrom(line: string): boolean {
  return line.length <= SENT_FROM_CHARS && SENT_FROM.some((pattern) => pattern.test(line));
}
