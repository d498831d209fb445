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
/** What is between a mailbox and the words that there is none. */
const GAP = "[^.!?。]{0,24}?";
/** Other scripts have no spaces between words, or attach articles. */
const NO_LETTER = "(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}])";
/** A mailbox in another language; that there is none, behind it; the same before it. */
const IN_LANGUAGES: [mailbox: string, behind: string, before: string][] = [
  [
    "benutzer|empfänger|postfach|teilnehmer|mailkonto|e-?mail-?adresse",
    "unbekannt|existiert nicht|nicht vorhanden|nicht gefunden|gibt es nicht",
    "unbekannte[rsn]?|kein(?:e[nr]?)? solche[rsn]?|ungültige[rs]?",
  ],
  [
    "utilisateur|destinataire|boîte|compte|adresse e-?mail",
    "inconnue?|introuvable|inexistante?|n['’]existe (?:pas|plus)",
    "aucune?|pas de tel(?:le)?|il n['’]y a pas de tel(?:le)?",
  ],
  [
    "usuario|destinatario|buzón|cuenta|dirección de correo",
    "desconocid[oa]|inexistente|no existe|no (?:fue |se ha )?encontrad[oa]|no se encuentra",
    "no existe (?:tal|ese|esa|el|la|ningún|ninguna)|ningún|desconocemos (?:el|la)",
  ],
  [
    "usuário|utilizador|destinatário|conta|caixa postal|caixa de correio|endereço de e-?mail",
    "desconhecid[oa]|inexistente|não existe|não (?:foi )?encontrad[oa]",
    "não existe (?:tal|esse|essa|este|esta|o|a|nenhum|nenhuma)|nenhum",
  ],
  [
    "utente|destinatario|casella|account|indirizzo e-?mail",
    "sconosciut[oa]|inesistente|non esiste|non (?:è stat[oa] )?trovat[oa]",
    "nessun|non esiste (?:tale|un|una|l['’]|il|la)",
  ],
  [
    "gebruiker|ontvanger|geadresseerde|postbus|postvak|mailadres",
    "onbekend|niet gevonden|bestaat (?:hier )?niet",
    "onbekende|geen (?:zulke|dergelijke)|er is geen",
  ],
  [
    "användare|mottagare|brevlåda|postlåda|konto(?:t)?|e-?postadress",
    "okänd|finns (?:det )?(?:inte|ej)|hittades (?:inte|ej)|existerar inte",
    "okänd|ingen sådan|inget sådant|det finns ingen",
  ],
  [
    "bruger|bruker|modtager|mottaker|postkasse|postboks|konto(?:en)?|e-?mailadresse|e-?postadresse",
    "ukendt|ukjent|findes ikke|finnes ikke|eksisterer ikke|(?:blev |ble )?ikke fundet|(?:ble )?ikke funnet",
    "ukendt|ukjent|ingen (?:sådan|slik)|der findes ingen|det finnes ingen",
  ],
  [
    "käyttäjä|vastaanottaja|postilaatikko|sähköpostiosoite|tiliä|tili",
    "tuntematon|ei ole olemassa|ei löy[td]|ei löytynyt",
    "tuntematon|ei ole sellaista",
  ],
  [
    "felhasználó|címzett|postafiók|fiók|e-?mail-?cím",
    "ismeretlen|nem létezik|nem található|nem ismert|nincs ilyen",
    "ismeretlen|nincs ilyen|nem létező|nem található",
  ],
  [
    "użytkownik|odbiorc|adresat|skrzynk|konto|kont(?:a|em)",
    "nieznan|nie istnieje|nie (?:został[aoy]? )?znalezion",
    "nieznan[yae]|brak takie(?:go|j)|nie ma takie(?:go|j)|nie istnieje (?:taki|taka|takie)|nie znaleziono",
  ],
  [
    "uživatel|příjemce|adresát|schránk|používateľ|príjemca|používateľ",
    "neznám|neexistuj|nenalezen|nebyl[aoy]? nalezen|nenájden|nebol[aoi]? nájden|neznám",
    "neznám[ýáyé]|žádný takový|žádná taková|neexistující|neexistuje takový|žiadny taký|neexistujúc[ia]",
  ],
  [
    "korisni[kc]|primatelj|primalac|sandučić|pretinac|uporabnik|prejemnik|nabiralnik|nalog",
    "nepoznat|neznan|ne postoji|ne obstaja|nije pronađen|ni bil najden|ni mogoče najti",
    "nepoznati?|neznan|nema takvog|takšnega",
  ],
  [
    "utilizator|destinatar|căsuț|cutia|cont(?:ul)?|adresa de e-?mail",
    "necunoscut|inexistent|nu exist[ăa]|nu a fost găsit",
    "nu există (?:acest|un astfel de|un|utilizatorul|niciun)|niciun",
  ],
  [
    "χρήστη|παραλήπτη|γραμματοκιβώτιο|θυρίδα|λογαριασμ|διεύθυνση email",
    "άγνωστ|δεν υπάρχει|δεν βρέθηκε|ανύπαρκτ",
    "άγνωστος|άγνωστη|δεν υπάρχει(?: τέτοιος| τέτοια| τέτοιο)?|ανύπαρκτος",
  ],
  [
    "пользовател|получател|адресат|почтов\\p{L}{2} ящик|ящик|учетн\\p{L}{2} запис",
    "неизвест|не найден|не существует|не зарегистрирован|не обнаружен",
    "неизвестн\\p{L}{2}|нет так(?:ого|ой)|не существует так(?:ого|ой)|несуществующ\\p{L}{2}",
  ],
  [
    "користувач|отримувач|одержувач|скриньк|потребител|получател|кутия|корисник|прималац|адресат",
    "невідом|не існує|не знайден|непознат|не съществува|не е намерен|не постоји|није пронађен",
    "невідом\\p{L}{2,3}|немає так(?:ого|ої)|няма такъв|няма такава|непознат|нема таквог|неіснуюч\\p{L}{2,3}",
  ],
  [
    "kullanıcı|alıcı|posta kutusu|hesap|hesab|e-?posta adres",
    "bulunamadı|bulunamıyor|mevcut değil|bilinmiyor|bulunmuyor|bulunmamaktadır|geçersiz",
    "böyle bir|bilinmeyen|geçersiz",
  ],
  [
    "المستخدم|المستلم|المرسل إليه|صندوق البريد|الحساب|مستخدم|حساب",
    "غير موجود|غير معروف|لا وجود له|غير مسجل",
    "لا يوجد|لم يتم العثور على|تعذر العثور على|لا نعرف",
  ],
  ["کاربر|گیرنده|صندوق پستی|حساب", "وجود ندارد|یافت نشد|پیدا نشد|ناشناخته|شناخته نشد", "چنین"],
  [
    "המשתמש|הנמען|תיבת הדואר|תיבה|החשבון|משתמש|נמען",
    "לא קיים|לא קיימת|אינו קיים|אינה קיימת|לא נמצא|לא מוכר",
    "אין|לא נמצא|לא נמצאה|לא קיים|לא קיימת",
  ],
  [
    "उपयोगकर्ता|प्राप्तकर्ता|मेलबॉक्स|खाता|ईमेल पता|ব্যবহারকারী|প্রাপক",
    "नहीं मिला|मौजूद नहीं|अज्ञात|পাওয়া যায়নি|অজানা",
    "अज्ञात|ऐसा कोई|অজানা|এমন কোনো",
  ],
  [
    "pengguna|penerima|kotak surat|kotak pos|akun|alamat email|alamat surel|peti mel|akaun",
    "tidak (?:ditemukan|dikenal|ada(?! (?:izin|akses|hak))|terdaftar|wujud|dijumpai)",
    "tidak ada|tidak ditemukan|tiada",
  ],
  [
    "người dùng|người nhận|hộp thư|tài khoản|địa chỉ email",
    "không tồn tại|không (?:được )?tìm thấy|không xác định",
    "không tìm thấy|không có|không tồn tại",
  ],
  ["ผู้ใช้|ผู้รับ|กล่องจดหมาย|บัญชี|ที่อยู่อีเมล", "ไม่มีอยู่|ไม่พบ|ไม่รู้จัก|ไม่ถูกต้อง", "ไม่พบ|ไม่มี|ไม่รู้จัก"],
  [
    "ユーザー?|利用者|宛先|受信者|名前|ディレクトリ|メールボックス|アカウント|メールアドレス",
    "ありません|見つかりません|存在し(?:ません|ない)|不明|見つからない",
    "不明な|存在しない|該当する",
  ],
  [
    "사용자|수신자|받는 사람|메일함|편지함|계정|메일 주소",
    "찾을 수 없|존재하지 않|알 수 없는",
    "존재하지 않는|알 수 없는",
  ],
  [
    "用户|用戶|使用者|收件人|收件者|邮箱|郵箱|信箱|帐号|账号|帳號|账户|帳戶",
    "不存在|未找到|找不到|查无|查無|不明|未知",
    "(?:没有|沒有)(?:此|该|該|这个|這個)|无此|無此|查无此|查無此|不存在|未知|找不到",
  ],
];
const OTHERS_RECIPIENT = IN_LANGUAGES.flatMap(([mailbox, behind, before]) => [
  `${NO_LETTER}(?:${mailbox})${GAP}(?:${behind})`,
  `${NO_LETTER}(?:${before})\\s?(?:\\p{L}{1,12} )?(?:${mailbox})`,
]);
const ENGLISH = [
  "account has been disabled or discontinued",
  "unknown address",
  "address(?:es)? (?:is |was )?(?:unknown|not (?:found|known))",
  "(?:address|domain)(?:es|s)? (?:does not|doesn['’]t) exist",
  "no such (?:address|domain|host)",
  "(?:un?routeable|invalid) address|un?routeable (?:recipient|mailbox)",
  "non-?existent (?:hosts?|domain|address)",
  "(?:could not|couldn['’]t) find any host|host (?:or domain name )?not found|nxdomain|null ?mx",
];
const OTHERS = [
  "nicht bekannt|existiert nicht|bestaat niet|nicht im .{0,30}verzeichnis",
  "n['’]existe pas|no existe|não existe|non esiste",
  "nie istnieje|brak takiego|не существует|не найден",
  "不存在|存在しません|존재하지 않",
];

export const UNKNOWN_RECIPIENT = new RegExp(
  `\\b(?:${ENGLISH_RECIPIENT.join("|")})\\b|${OTHERS_RECIPIENT.join("|")}`,
  "iu",
);
export const UNKNOWN_ADDRESS = new RegExp(
  `\\b(?:${[...ENGLISH_RECIPIENT, ...ENGLISH].join("|")})\\b|${[...OTHERS_RECIPIENT, ...OTHERS].join("|")}`,
  "iu",
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
