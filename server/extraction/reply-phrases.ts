// The words with which mail clients introduce quotes, forwards and signatures. They are evidence beside the shape of the lines, so that
// a language that is missing costs little.

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
const ADDRESS_LAST = /[^\s<>@]@[^\s<>@\])]{1,255}[>\])]{1,3}\s{0,4}[:：]$/u;
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
    "исходное сообщение|оригинальное сообщение|原始邮件|原始郵件|邮件原件|原邮件|回复的原邮件|回覆的原郵件|元のメッセージ|元のメール|원본 메시지|원본 메일|" +
    "opprinnelig melding|oprindelig meddelelse|ursprungligt meddelande|původní zpráva|původní e-mail|pôvodná správa|eredeti üzenet|" +
    "mesaj original|mesajul original|αρχικό μήνυμα|alkuperäinen viesti|вихідне повідомлення|оригінальне повідомлення|" +
    "оригинално съобщение|izvorna poruka|originalna poruka|izvirno sporočilo|pradinis laiškas|sākotnējais ziņojums|algne sõnum|" +
    "tin nhắn gốc|thư gốc|pesan asli|mesej asal|ข้อความต้นฉบับ|ข้อความดั้งเดิม|الرسالة الأصلية|הודעה מקורית|پیام اصلی|मूल संदेश|" +
    "মূল বার্তা|orihinal na mensahe|missatge original|jatorrizko mezua|mensaxe orixinal|upprunaleg skilaboð",
);

const FORWARDED = list(
  "forwarded message|begin forwarded message|weitergeleitete nachricht|anfang der weitergeleiteten nachricht|message transféré|" +
    "message transmis|début du message transféré|début du message réexpédié|mensaje reenviado|inicio del mensaje reenviado|" +
    "mensagem encaminhada|mensagem reencaminhada|início da mensagem encaminhada|início da mensagem reencaminhada|" +
    "messaggio inoltrato|inizio messaggio inoltrato|doorgestuurd bericht|begin doorgestuurd bericht|przekazana wiadomość|" +
    "wiadomość przekazana|treść przekazanej wiadomości|początek przekazywanej wiadomości|iletilen mesaj|iletilmiş mesaj|" +
    "yönlendirilmiş ileti|yönlendirilen mesaj|iletilen mesajın başlangıcı|пересылаемое сообщение|пересланное сообщение|" +
    "начало переадресованного сообщения|начало пересылаемого сообщения|转发的邮件|转发邮件信息|下面是被转发的邮件|轉寄的郵件|" +
    "轉寄郵件|開始轉寄郵件|転送されたメッセージ|転送メッセージ|전달된 메시지|전달된 메일|전달된 메시지 시작|" +
    "videresendt meddelelse|videresendt melding|videresendt besked|start på videresendt besked|vidarebefordrat meddelande|" +
    "vidarebefordrat brev|vidarebefordrat mejl|början på vidarebefordrat meddelande|välitetty viesti|edelleenlähetetty viesti|" +
    "přeposlaná zpráva|začátek přeposílané zprávy|předaná zpráva|preposlaná správa|továbbított üzenet|továbbított levél|" +
    "mesaj redirecționat|mesaj redirectionat|mesaj retrimis|προωθημένο μήνυμα|переслане повідомлення|препратено съобщение|" +
    "proslijeđena poruka|prosleđena poruka|posredovano sporočilo|persiųstas laiškas|pārsūtīts ziņojums|edastatud kiri|" +
    "thư đã chuyển tiếp|chuyển tiếp tin nhắn|pesan terusan|pesan yang diteruskan|mesej yang dimajukan|ข้อความที่ส่งต่อ|" +
    "رسالة معاد توجيهها|رسالة مُعاد توجيهها|הודעה שהועברה|پیام هدایت‌شده|پیام بازارسال شده|अग्रेषित संदेश|missatge reenviat",
);

const INTRODUCED = /^\*?[-‐–—_=]{2}|[:：]\s*$/u;

/** The words of a line that introduces a mail: between rulers, or before a colon. */
function introducing(line: string): string | undefined {
  if (line.length > PHRASE_CHARS || !INTRODUCED.test(line)) return undefined;
  const words = line.replace(/^[-‐–—_=*>\s]+/, "").replace(/[-‐–—_=*:：\s]+$/u, "");
  return words.toLowerCase();
}

/** "-----Original Message-----" and its like. */
export function startsOriginal(line: string): boolean {
  return ORIGINAL.has(introducing(line) ?? "");
}

/** As Gmail writes it in every language. */
const GMAIL_FORWARD = /^-{10} [^-].{2,60} -{9,10}$/u;

/** As Notes writes it. */
const FORWARDED_BY =
  "forwarded by|weitergeleitet von|transféré par|transmis par|réexpédié par|reenviado por|remitido por|encaminhado por|reencaminhado por|inoltrato da|" +
  "doorgestuurd door|przekazane przez|vidarebefordrat av|videresendt af|videresendt av|välittänyt|переслано|továbbította|přeposláno|转发人|轉寄者|転送者";
const SAYS_FORWARD = new RegExp(`(?<!\\p{L})(?:${[...FORWARDED].join("|")}|${FORWARDED_BY})(?!\\p{L})`, "u");
const SAYS_CHARS = 200;

/** Whether a line says among other words that a mail was forwarded: "----- Forwarded message from Ann <ann@shop.example> -----". */
export const saysForward = (line: string) => line.length <= SAYS_CHARS && SAYS_FORWARD.test(line.toLowerCase());

/** "---------- Forwarded message ---------", "Begin forwarded message:", "----- Forwarded by Ann Lee/Shop -----" and their like. */
export function startsForward(line: string): boolean {
  if (FORWARDED.has(introducing(line) ?? "")) return true;
  return (GMAIL_FORWARD.test(line) && !startsOriginal(line)) || (/^[-‐–—_=]{3}/u.test(line) && saysForward(line));
}

const REPLY_PREFIXES = list(
  "re|aw|antw|antwort|sv|vs|res|rép|rif|r|odp|ynt|yan|cevap|отв|ответ|回复|回覆|答复|返信|회신|답장|отг|vá|válasz|atb|ats|απ|σχετ|" +
    "השב|תגובה|رد|پاسخ|bls|balas|trả lời|ตอบ|ตอบกลับ|відп|одг|odg|hth|blt|vast",
);
const FORWARD_PREFIXES = list(
  "fwd|fw|wg|tr|rv|enc|i|doorst|vb|vl|pd|ilt|i̇lt|yml|转发|轉寄|转寄|転送|전달|пер|пересл|пересл.|fs|továbbítás|továbbítva|továb|" +
    "πρθ|προώθ|הועבר|إعادة توجيه|trs|terusan|chuyển tiếp|ส่งต่อ|redir|předat|přep|prep|edasi|pārs|pers|препр|переслано",
);
export const isReplyPrefix = (word: string) => REPLY_PREFIXES.has(word);
export const isForwardPrefix = (word: string) => FORWARD_PREFIXES.has(word);

const MARKER_CHARS = 160;
const BARE_CHARS = 60;
const BARE_WORDS = 7;
/** "Reply above this line": each word says answer, above or line. Two of the three with rulers on both sides are the marker. */
const MARKER_WORDS = [
  /(?<!\p{L})(?:repl(?:y|ies)|respond|answer|antwort\p{L}*|beantwort\p{L}*|schreib\p{L}*|répon\p{L}*|respon\p{L}*|rispond\p{L}*|rispost\p{L}*|reageer|antwoord\p{L}*|svar\p{L}*|vast\p{L}*|odpow\p{L}*|odpov\p{L}*|válasz\p{L}*|răspun\p{L}*|balas|jawab|odgovor\p{L}*|atsak\p{L}*|atbild\p{L}*)|ответ|відпов|отговор|одговор|απαντ|απάντ|trả lời|yanıt|cevap|回复|回覆|答复|返信|返答|回答|답장|회신|ตอบ|الرد|أجب|השב|תשוב|पاسخ|پاسخ|उत्तर|जवाब/iu,
  /(?<!\p{L})(?:above|before|over|oberhalb|über|darüber|dessus|avant|encima|arriba|acima|sopra|boven|ovenfor|ovanför|över|yläpuolel\p{L}*|powyżej|nad|felé|fölé|fölött|deasupra|di atas|üst\p{L}*|üzer\p{L}*|virš|virs|kohal|iznad|nad|ofan)(?!\p{L})|выше|над|вище|πάνω|phía trên|bên trên|以上|上方|之上|より上|上に|上側|위에|위쪽|เหนือ|ด้านบน|فوق|أعلى|מעל|بالای|ऊपर/iu,
  /(?<!\p{L})(?:line|marker|delimiter|linie|trennlinie|zeile|ligne|línea|linea|linha|riga|lijn|linje\p{L}*|linjen|viivan|rivin|lini\p{L}*|řádk\p{L}*|čár\p{L}*|čiar\p{L}*|riadk\p{L}*|vonal|sor|linie\p{L}*|garis|satır\p{L}*|çizgi\p{L}*|črt\p{L}*|crt\p{L}*|līni\p{L}*|joon\p{L}*|línu)(?!\p{L})|лини|строк|черт|ліні|γραμμή|dòng|这条线|此行|這條線|此線|分割线|線|行|선|줄|บรรทัด|เส้น|السطر|الخط|השורה|הקו|خط|रेखा|पंक्ति/iu,
];
const MARKER_START = /^[-‐–—_=*#~+<>{}[\]()]{2}/u;
const MARKER_END = /[-‐–—_=*#~+<>{}[\]()]{2}$/u;

const saysReplyAbove = (line: string) => MARKER_WORDS.filter((pattern) => pattern.test(line)).length >= 2;

/** "##- Please type your reply above this line -##", in many languages, and without these words in this form of its own. */
export function isReplyMarker(line: string): boolean {
  if (line.length > MARKER_CHARS || !MARKER_START.test(line) || !MARKER_END.test(line)) return false;
  return /^##-.*-##$/.test(line) || saysReplyAbove(line);
}

/** Whether a line says that and nothing else, so that a ruler above or below makes it a marker: "Reply above this line." */
export function isBareMarker(line: string): boolean {
  return (
    line.length <= BARE_CHARS && !/[:：]/.test(line) && line.split(" ").length <= BARE_WORDS && saysReplyAbove(line)
  );
}

/** A run of words in capital letters. */
const CAPITALS = /(?:(?<!\S)\p{Lu}{2,20}(?:\s|$)){3,8}/u;

/** Whether a line says so in capital letters among others, as some services do: "Write ABOVE THIS LINE to answer". */
export function isCapitalMarker(line: string): boolean {
  return line.length <= MARKER_CHARS && /\p{Ll}/u.test(line) && saysReplyAbove(CAPITALS.exec(line)?.[0] ?? "");
}

type Role = "from" | "date" | "to" | "subject";

const ROLES: [Role, string][] = [
  [
    "from",
    "from|von|absender|de|expéditeur|da|van|od|kimden|gönderen|от|от кого|发件人|寄件人|寄件者|差出人|送信者|送信元|보낸 사람|보낸사람|fra|från|" +
      "lähettäjä|odesílatel|odosielateľ|feladó|de la|expeditor|από|від|подател|pošiljatelj|pošiljalac|šalje|siuntėjas|nuo|no|saatja|kellelt|" +
      "từ|người gửi|dari|pengirim|daripada|จาก|ผู้ส่ง|من|מאת|از|فرستنده|प्रेषक|से|প্রেরক|mula kay|nga|sendandi|frá|remitente|mittente|afzender|nadawca",
  ],
  [
    "date",
    "sent|date|gesendet|datum|envoyé|envoyé le|enviado|enviado el|enviada em|enviado em|enviada|fecha|data|inviato|verzonden|" +
      "wysłano|wysłane|data wysłania|gönderme tarihi|gönderildi|gönderilme tarihi|tarih|отправлено|дата|发送时间|发送日期|日期|时间|" +
      "寄件日期|傳送時間|日時|日付|送信日時|送信日|날짜|보낸 날짜|보낸날짜|sendt|skickat|dato|lähetetty|päiväys|odesláno|odoslané|dátum|elküldve|küldve|trimis|" +
      "data trimiterii|dată|στάλθηκε|εστάλη|ημερομηνία|надіслано|дата відправлення|изпратено|poslano|poslato|išsiųsta|nosūtīts|datums|kuupäev|" +
      "saadetud|đã gửi|ngày|ngày gửi|thời gian|dikirim|tanggal|dihantar|tarikh|ส่งเมื่อ|วันที่|تاريخ|تاريخ الإرسال|التاريخ|تم الإرسال|أرسلت|" +
      "נשלח|תאריך|ارسال شده|تاریخ|भेजा गया|दिनांक|পাঠানো হয়েছে|তারিখ|ipinadala|petsa|dagsetning|sent",
  ],
  [
    "to",
    "to|an|à|a|para|pour|destinataire|aan|do|kime|alıcı|кому|收件人|收件者|宛先|받는 사람|받는사람|til|till|cc|kopie|copie|copia|copia a|" +
      "cópia|dw|bilgi|копия|抄送|副本|参照|참조|" +
      "vastaanottaja|komu|pro|címzett|către|catre|προς|κοιν.|κοινοποίηση|до|копія|za|prima|kam|kopija|kellele|saaja|đến|tới|người nhận|kepada|" +
      "ke|tembusan|ถึง|สำเนา|إلى|نسخة|אל|עותק|به|گیرنده|प्रति|को|প্রতি|para kay|viðtakandi|másolat|kopio|kópia|destinatario|ontvanger",
  ],
  [
    "subject",
    "subject|betreff|objet|asunto|assunto|oggetto|onderwerp|temat|konu|тема|主题|主旨|主題|件名|제목|emne|ämne|" +
      "aihe|předmět|predmet|tárgy|subiect|θέμα|тема листа|относно|naslov|zadeva|tema|temats|teema|pealkiri|chủ đề|tiêu đề|subjek|perihal|" +
      "subyek|หัวเรื่อง|เรื่อง|الموضوع|נושא|موضوع|विषय|বিষয়|paksa|efni|assumpte|gaia",
  ],
];
/** Clients write the parts of a word apart or joined by an invisible character. */
const labelOf = (text: string) => text.replace(/[\s*_\u200c-\u200f]/g, "").toLowerCase();
const LABELS = new Map(
  ROLES.flatMap(([role, labels]) => labels.split("|").map((label): [string, Role] => [labelOf(label), role])),
);
const LABEL_CHARS = 30;

/** What a header line that a client wrote into a body says: "Sent: …" is a date. */
export function headerRole(line: string): Role | undefined {
  const colon = line.slice(0, LABEL_CHARS).search(/[:：]/);
  if (colon < 0) return undefined;
  return LABELS.get(labelOf(line.slice(0, colon)));
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
  /^(?:Sendt fra|Skickat från|Lähetetty|Odesláno z|Odoslané z|Küldve|Trimis (?:de pe|din)|Στάλθηκε από|Надіслано з|Изпратено от|Poslano s|Poslato sa|Išsiųsta iš|Nosūtīts no|Saadetud|Được gửi từ|Gửi từ|Dikirim dari|Dihantar daripada|ส่งจาก|أُرسلت من|أرسلت من|مرسل من|נשלח מה|ارسال شده از|भेजा गया)(?:\s|$)/iu,
  /(?:से भेजा गया|থেকে পাঠানো|iPhoneról küldve|készülékemről küldve)\.?$/iu,
];
/** What such a line names. The words alone may be the sender's: "Sent from the Berlin office". */
const DEVICE =
  /\b(?:my|mi|mijn|min|meinem|mon|ma|mio|meu|mia|moim|mojego|minun)\b|iP(?:hon|ad|od)|Android|Galaxy|Samsung|Huawei|Xiaomi|Redmi|OPPO|OnePlus|Pixel|Nokia|Motorola|Sony|Xperia|BlackBerry|Windows|Mac|Outlook|Mail\b|Proton|Yahoo|Gmail|Thunderbird|GMX|WEB\.DE|Spark|Tuta|Fastmail|Superhuman|Zoho|Nine|K-9|handy|mobil|smartphone|telefo|tablet|téléphone|portable|móvil|celular|cellulare|手机|手機|携帯|スマ|휴대|мобил|телефон/iu;
const SENT_FROM_CHARS = 80;

/** "Sent from my iPhone" and what other clients add without a delimiter. */
export function isSentFrom(line: string): boolean {
  return line.length <= SENT_FROM_CHARS && DEVICE.test(line) && SENT_FROM.some((pattern) => pattern.test(line));
}

/** A company's notice at the end of a mail has two of these. */
export const NOTICE =
  /confidential|privileged|intended (?:solely |only )?for|intended recipient|disclaimer|received .{0,20}in error|unsubscribe|vertraulich|irrtümlich|confidentiel|destinataire|confidencial|destinat[aá]rio|riservat|vertrouwelijk|poufn|конфиденциальн|機密|机密/giu;
