// Phrases that give orders to an assistant, in languages other than English.
import { type Own, type Phrase, strong, weak } from "./phrase.ts";

/** In languages of which a phrase may be found in another one, too. */
const ROMANCE_THINGS =
  "concernant|relatives|sur la|sur le|pour la|pour le|pour les|pour l|sobre el|sobre la|sobre los|sobre las|para el|para la|para los|" +
  "para las|sobre o|sobre a|para o|para a|per il|per la|per le|per i|sul|sulla|riguardo";
/** The same, where it is not said what thing it is about. */
const about = (words: string, phrase: Phrase): Phrase => ({ ...phrase, about: words });

/** "All", a system and a prompt: with these, "my instructions" are no correction. */
export const OF_OTHERS_WORDS =
  "all |every|alle |allen |aller |sämtlich|jeglich|tous |toutes |todos |todas |tutti |tutte |alla |alt |kaikki|kaikkia|kõik|összes|minden|" +
  "wszystk|wszelk|tüm |tümü|bütün |hepsi|все |всех |всі |усі |всички|сите |све |sve |vse |vsa |všech|všetk|toate|toți|" +
  "όλες|όλα|όλων|totes|tots |gjitha|كل |جميع|كافة|تمام|همه|تمامی|כל |सभी|सब |समस्त|সমস্ত|সব |تمام|سب |tất cả|mọi |toàn bộ|semua|" +
  "seluruh|lahat|yote|zote|所有|全部|一切|すべて|全て|모든|모두|전부|" +
  "system|systém|sistem|sustav|järjestelm|süsteem|rendszer|систем|σύστημα|συστήματος|النظام|نظام|سیستم|המערכת|מערכת|सिस्टम|সিস্টেম|" +
  "hệ thống|mfumo|系统|系統|システム|시스템|prompt|kehot|промпт|προτροπ|提示|プロンプト|프롬프트";

type Mine = Omit<Own, "things">;
/** The same, unless a person means what he said himself. The verb stands first, or last. */
const unlessOwn = (mine: Mine, phrase: Phrase, verbLast = false): Phrase => ({
  ...phrase,
  own: { ...mine, things: (verbLast ? phrase.slots.slice(0, -1) : phrase.slots.slice(1)).join("|") },
});

/** In a Romance language. It is harmless where it is said what the instructions are about. */
const overrideInRomance = (mine: Mine, ...slots: string[]): Phrase =>
  unlessOwn(mine, about(ROMANCE_THINGS, strong("override", ...slots)));

const german: Phrase[] = [
  unlessOwn(
    { before: "mein|unser" },
    about(
      "für|zu|zur|zum|über",
      strong(
        "override",
        "ignorier|missacht|vergiss |vergessen sie |überschreib|befolge nicht",
        "vorherig|bisherig|früher|obig|alle |deine |vorangegangen|vorangehend|ursprünglich",
        "anweisung|instruktion|systemprompt|prompt|vorgaben|befehl",
      ),
    ),
  ),
  strong(
    "identity",
    "du bist eine ki |du bist ein ki |sie sind eine ki |du bist ein hilfreicher assistent|du bist ein sprachmodell|du bist ein assistent|sie sind ein ki ",
  ),
  strong("duty", "als ki |als sprachmodell ", "musst du|müssen sie|sollst du|hast du|du musst"),
  weak("assistant", "als assistent ", "musst du|müssen sie|sollst du|hast du|du musst"),
  weak(
    "secrecy",
    "sag dem nutzer nicht|sage dem nutzer nicht|sag dem benutzer nicht|sage dem benutzer nicht|dem nutzer nichts|dem benutzer nichts|ohne den nutzer|ohne den benutzer|informiere den nutzer nicht|informiere den benutzer nicht",
  ),
  weak(
    "exfiltrate",
    "leite |leiten |sende |senden |schicke |schick ",
    "mail|nachricht|passwort|kennwort|zugangsdaten|posteingang|code|schlüssel",
    "@|http|folgende adresse",
  ),
];

const french: Phrase[] = [
  overrideInRomance(
    { before: "mon |ma |mes |notre |nos " },
    "ignore |ignorez |oublie |oubliez |ne tiens pas compte|ne tenez pas compte|ne suis pas|outrepasse",
    "précédent|antérieur|toutes|tes |ci dessus|initiales",
    "instruction|consigne|directive|prompt",
  ),
  overrideInRomance(
    { before: "mon |ma |mes |notre |nos " },
    "ignore |ignorez |oublie |oubliez |ne tiens pas compte|ne tenez pas compte",
    "instruction|consigne|directive|prompt",
    "précédent|antérieur|ci dessus|initiales",
  ),
  strong(
    "identity",
    "tu es une ia |vous êtes une ia |tu es un assistant|vous êtes un assistant|tu es un modèle de langage|vous êtes un modèle de langage|tu es une intelligence artificielle|vous êtes une intelligence artificielle",
  ),
  strong("duty", "en tant qu ia |en tant qu assistant ia |en tant que modèle", "tu dois|vous devez"),
  weak("assistant", "en tant qu assistant", "tu dois|vous devez"),
  weak(
    "secrecy",
    "ne dis pas à l utilisateur|ne dites pas à l utilisateur|n informe pas l utilisateur|n informez pas l utilisateur|sans prévenir l utilisateur|sans informer l utilisateur|ne dis rien à l utilisateur|ne dites rien à l utilisateur",
  ),
  weak(
    "exfiltrate",
    "transfère |transférez |transférer |envoie |envoyez |fais suivre|faites suivre",
    "mail|message|courriel|mot de passe|identifiants|code",
    "@|http|adresse suivante",
  ),
];

const spanish: Phrase[] = [
  overrideInRomance(
    { before: "mi |mis |nuestr", behind: "mía |mías |mío |míos |nuestr" },
    "ignora |ignore |olvida |olvide |haz caso omiso|haga caso omiso|no sigas|desestima",
    "instruccion|indicacion|directri|prompt|órdenes",
    "anterior|previa|iniciales|de arriba",
  ),
  overrideInRomance(
    { before: "mi |mis |nuestr", behind: "mía |mías |mío |míos |nuestr" },
    "ignora |ignore |olvida |olvide |haz caso omiso|no sigas",
    "todas|tus |anterior|previa",
    "instruccion|directri|prompt|órdenes",
  ),
  strong(
    "identity",
    "eres una ia |usted es una ia |eres un asistente de ia|eres un asistente virtual|eres un asistente útil|eres un modelo de lenguaje|eres una inteligencia artificial",
  ),
  strong(
    "duty",
    "como asistente de ia|como asistente virtual|como ia |como modelo de lenguaje",
    "debes|debe |tienes que|deberás",
  ),
  weak(
    "secrecy",
    "no le digas al usuario|no se lo digas al usuario|no informes al usuario|sin avisar al usuario|sin informar al usuario|no diga al usuario|no digas al usuario",
  ),
  weak(
    "exfiltrate",
    "reenvía |reenvíe |reenviar |envía |envíe |manda ",
    "correo|mensaje|contraseña|credencial|código|bandeja",
    "@|http|siguiente dirección",
  ),
];

const portuguese: Phrase[] = [
  overrideInRomance(
    { before: "meu |meus |minha |minhas |noss" },
    "ignore |ignora |esqueça |esquece |desconsidere |desconsidera |não siga",
    "instruç|prompt|diretriz|ordens",
    "anterior|prévia|acima|iniciais",
  ),
  overrideInRomance(
    { before: "meu |meus |minha |minhas |noss" },
    "ignore |ignora |esqueça |esquece |desconsidere |desconsidera |não siga",
    "todas|suas |tuas |anterior",
    "instruç|prompt|diretriz|ordens",
  ),
  strong(
    "identity",
    "você é uma ia |você é um assistente|você é um modelo de linguagem|você é uma inteligência artificial",
  ),
  strong("duty", "como assistente de ia|como assistente virtual|como uma ia |como ia ", "deve |tens de|precisa"),
  weak(
    "secrecy",
    "não conte ao usuário|não diga ao usuário|não informe o usuário|sem avisar o usuário|sem informar o usuário|não avise o usuário|não diga ao utilizador",
  ),
  weak(
    "exfiltrate",
    "encaminhe |reencaminhe |envie |encaminhar ",
    "mail|mensagem|senha|credenci|código",
    "@|http|seguinte endereço",
  ),
];

const italian: Phrase[] = [
  overrideInRomance(
    { before: "mio |miei |mia |mie |nostr" },
    "ignora |ignorate |ignori |dimentica |dimenticate |trascura |non seguire",
    "istruzion|prompt|direttiv|indicazion",
    "precedent|iniziali|sopra",
  ),
  overrideInRomance(
    { before: "mio |miei |mia |mie |nostr" },
    "ignora |ignorate |ignori |dimentica |dimenticate |trascura |non seguire",
    "precedent|tutte|tue ",
    "istruzion|prompt|direttiv",
  ),
  strong(
    "identity",
    "sei un ia |sei una ia |sei un assistente|sei un modello linguistico|sei un intelligenza artificiale",
  ),
  strong("duty", "come ia |come assistente ia |come assistente virtuale", "devi|dovrai"),
  weak("assistant", "in qualità di assistente|come assistente|in quanto assistente", "devi|dovrai"),
  weak(
    "secrecy",
    "non dire all utente|non dirlo all utente|non informare l utente|senza avvisare l utente|senza informare l utente",
  ),
  weak(
    "exfiltrate",
    "inoltra |inoltrare |invia |inviare |manda ",
    "mail|messagg|password|credenzial|codice",
    "@|http|seguente indirizzo",
  ),
];

const dutch: Phrase[] = [
  unlessOwn(
    { before: "mijn |onze |ons " },
    about(
      "voor het|voor de|over het|over de",
      strong(
        "override",
        "negeer |vergeet |volg niet",
        "vorige|eerdere|bovenstaande|alle |voorgaande|oorspronkelijke",
        "instructie|aanwijzing|prompt",
      ),
    ),
  ),
  strong(
    "identity",
    "je bent een ai |jij bent een ai |u bent een ai |je bent een behulpzame assistent|je bent een taalmodel",
  ),
  strong("duty", "als ai assistent |als ai ", "moet je|moet u|dien je"),
  weak("assistant", "als assistent ", "moet je|moet u|dien je"),
  weak(
    "secrecy",
    "vertel de gebruiker niet|zeg niets tegen de gebruiker|zonder de gebruiker|informeer de gebruiker niet|vertel het de gebruiker niet|vertel dit niet aan de gebruiker",
  ),
  weak("exfiltrate", "stuur |verstuur |zend ", "mail|bericht|wachtwoord|code|inloggegevens", "@|http|volgende adres"),
];

const polish: Phrase[] = [
  unlessOwn(
    { before: "moj|moi|mój |mym |nasz", behind: "moj|moi|nasz" },
    about(
      "dotyczące|do|dla",
      strong(
        "override",
        "zignoruj|ignoruj|zapomnij|pomiń |nie stosuj się",
        "poprzedni|wcześniejsz|powyższ|wszystkie|swoje",
        "instrukcj|polece|wytyczn|prompt",
      ),
    ),
  ),
  strong("identity", "jesteś sztuczną inteligencją|jesteś asystentem|jesteś modelem językowym|jesteś ai "),
  strong("duty", "jako ai |jako asystent ai ", "musisz|powinieneś"),
  weak("assistant", "jako asystent", "musisz|powinieneś"),
  weak("secrecy", "nie mów użytkownikowi|nie informuj użytkownika|bez wiedzy użytkownika|bez informowania użytkownika"),
  weak("exfiltrate", "przekaż |prześlij |wyślij |przesyłaj ", "mail|wiadomoś|hasł|kod|dane logowania", "@|http|adres"),
];

const turkish: Phrase[] = [
  unlessOwn(
    { before: "benim |bizim ", endings: "[iuü]mi?|[iu]miz[iu]?" },
    strong(
      "override",
      "önceki|yukarıdaki|tüm |bütün ",
      "talimat|komut|yönerge",
      "yok say|unut|görmezden gel|göz ardı et|göz ardı ed",
    ),
    true,
  ),
  strong("identity", "sen bir yapay zeka|siz bir yapay zeka|sen bir asistan|bir dil modelisin"),
  weak("secrecy", "kullanıcıya söyleme|kullanıcıya bildirme|kullanıcıya haber verme|kullanıcıya bilgi verme"),
  weak("exfiltrate", "posta|mesaj|şifre|parola|kod", "@|http|adresine", "ilet|gönder|yönlendir"),
];

const russian: Phrase[] = [
  unlessOwn(
    { before: "мой |мои |моих |моим |моё |мое |мою |моей |наш", behind: "мои |моих |моё |мое |наши " },
    about(
      "по|о|об|для",
      strong(
        "override",
        "игнорируй|проигнорируй|забудь|не следуй|отмени",
        "предыдущ|прежни|выше|все |свои|прошлы|изначальн",
        "инструкц|указани|команд|промпт",
      ),
    ),
  ),
  strong(
    "identity",
    "ты искусственный интеллект|ты ии |ты ассистент|вы искусственный интеллект|ты языковая модель|вы языковая модель|ты нейросеть",
  ),
  strong("duty", "как ии ", "должен|обязан|должны"),
  weak("assistant", "как ассистент", "должен|обязан|должны"),
  weak(
    "secrecy",
    "не говори пользователю|не сообщай пользователю|не говорите пользователю|без ведома пользователя|не сообщайте пользователю|не уведомляй пользователя",
  ),
  weak("exfiltrate", "перешли|переслать|отправь", "письм|сообщени|парол|код|данные", "@|http|адрес"),
];

const chinese: Phrase[] = [
  unlessOwn(
    { before: "我|本人|咱们" },
    strong(
      "override",
      "忽略|无视|無視|忘记|忘記|忽視|不要遵守|不要遵循",
      "之前|以前|先前|以上|上述|上面|前面|所有|你的|一切|原有",
      "指令|指示|提示词|提示詞|系统提示|命令|设定|設定",
    ),
  ),
  strong(
    "identity",
    "你是一个人工智能|你是一个ai|你是ai|你是人工智能|你是一个语言模型|你是一个助手|你是一名助手|你是一個ai|你是一個助手|您是ai",
  ),
  strong("duty", "作为ai|作為ai|作为人工智能|身为ai", "你必须|你必須|您必须|你应|你需要|你要"),
  weak("assistant", "作为助手|作為助手", "你必须|你必須|您必须|你应|你需要|你要"),
  weak(
    "secrecy",
    "不要告诉用户|不要告訴用戶|不要通知用户|别告诉用户|不要让用户知道|无需告知用户|不得告知用户|不要告知用户|瞒着用户",
  ),
  weak("exfiltrate", "转发|轉發|发送|發送|转寄", "邮件|郵件|消息|密码|密碼|验证码|内容", "@|http|地址"),
  weak("exfiltrate", "邮件|郵件|密码|密碼|验证码|消息", "转发|發送|发送|轉發|转寄", "@|http|地址"),
];

const japanese: Phrase[] = [
  unlessOwn(
    { before: "私の|わたしの|僕の|当方の|弊社の|こちらの|私から|私が|当方から" },
    strong(
      "override",
      "以前の|これまでの|上記の|前の|すべての|全ての|先の|従来の",
      "指示|命令|プロンプト",
      "無視|忘れ|従わない",
    ),
    true,
  ),
  strong("identity", "あなたはai|あなたは人工知能|あなたは言語モデル|あなたはアシスタント"),
  strong(
    "duty",
    "アシスタントとしてあなた|アシスタントとして あなた|aiとしてあなた|aiとして あなた",
    "必要があ|しなければ|してください|べきです",
  ),
  weak(
    "secrecy",
    "ユーザーに知らせ|ユーザーに伝えない|ユーザーに言わない|ユーザーには伝え|ユーザーには言わ|ユーザーに通知しな",
  ),
  weak("exfiltrate", "メール|メッセージ|パスワード|認証コード", "@|http|アドレス", "転送|送信|送って"),
];

const korean: Phrase[] = [
  unlessOwn(
    { before: "제 |제가 |내 |내가 |저의 |저희|우리 " },
    strong("override", "이전|위의|앞의|모든|기존", "지시|명령|프롬프트|지침", "무시|잊|따르지"),
    true,
  ),
  strong("identity", "당신은 ai|너는 ai|당신은 인공지능|너는 인공지능|당신은 언어 모델|당신은 어시스턴트"),
  strong("duty", "어시스턴트로서|ai로서", "당신은|너는|해야"),
  weak("secrecy", "사용자에게 알리지|사용자에게 말하지|사용자 모르게|사용자에게는 알리지"),
  weak("exfiltrate", "메일|이메일|메시지|비밀번호|인증 코드", "@|http|주소로", "전달|보내|전송"),
];

/**
 * The one order that all attacks share, in more languages: a verb, what came before, and what it is called, in any order of the last
 * two, or with the verb at the end. `mine`: with "my", a person takes back what he wrote.
 */
const ORDERS: [verbs: string, earlier: string, orders: string, mine: Mine, verbLast?: boolean][] = [
  // Swedish, Danish, Norwegian
  [
    "ignorera |bortse från|glöm |strunta i",
    "tidigare|föregående|alla |ovanstående",
    "instruktion|anvisning|prompt|direktiv",
    { before: "min |mitt |mina |vår|våra " },
  ],
  [
    "ignorer |ignorér |glem |se bort fra|tilsidesæt|overse ",
    "tidligere|forrige|foregående|alle |ovenstående|ovennevnte",
    "instruks|anvisning|prompt|ordre",
    { before: "min |mit |mitt |mine |vor |vores |vore |vår|våre ", behind: "min |mine |mitt |våre |vores " },
  ],
  // Finnish, Estonian, Hungarian
  [
    "ohita |unohda |jätä huomiotta|älä noudata",
    "aiemmat|aikaisemmat|edelliset|kaikki|yllä",
    "ohje|kehot|käsky",
    { before: "minun |meidän |mun ", endings: "ni|mme" },
  ],
  ["ignoreeri|unusta |eira ", "eelnev|varasem|kõik|eelmis", "juhis|korraldus|käsk", { before: "minu |mu |meie " }],
  [
    "hagyd figyelmen kívül|hagyja figyelmen kívül|felejtsd el|felejtse el|ne vedd figyelembe",
    "korábbi|előző|eddigi|összes|fenti",
    "utasítás|instrukció|prompt",
    { before: "az én |saját |a mi ", endings: "[ao]m(?:at|ra|rol)?|aim(?:at|ra|rol)?|unk(?:at)?|aink(?:at)?" },
  ],
  // Czech, Slovak, Slovene, Croatian, Serbian, Bulgarian, Macedonian, Ukrainian
  [
    "ignoruj|zapomeň|zabudni|nedbej|neřiď se",
    "předchoz|dřívějš|predchádzaj|predošl|všechn|všetk",
    "pokyn|instrukc|instrukci|příkaz|príkaz",
    { before: "mé |má |moj|můj |mých |mým |naš|náš ", behind: "moj|mé |naš" },
  ],
  [
    "prezri |ignoriraj|pozabi |zanemari|zaboravi",
    "prejšnj|predhodn|vsa |prethodn|ranij|sve ",
    "navodil|uput|instrukcij|naredb",
    { before: "moj|naš", behind: "moj|naš" },
  ],
  [
    "игнориши|занемари|заборави|игнорирай|забрави|забравете|пренебрегни|игнорирај",
    "претходн|раниј|све |предишн|предходн|всички|сите ",
    "упутств|инструкци|указани|наредб|упатств",
    { before: "мој|мои|моје |моите |наш", behind: "ми |ни " },
  ],
  [
    "ігноруй|проігноруй|забудь|не виконуй",
    "попередн|усі |всі |раніш|вище",
    "інструкц|вказівк|команд|промпт",
    { before: "мої |моїх |моє |мій |наш", behind: "мої |наші " },
  ],
  // Romanian, Greek, Catalan, Albanian
  [
    "ignoră|ignora |ignorați|uită |uitați|nu respecta",
    "anterioare|precedente|toate|de mai sus",
    "instrucțiun|indicați|comenzi|prompt",
    { before: "mea |mele |meu ", behind: "mea |mele |meu |mei |noastr|noștri " },
  ],
  [
    "αγνόησε|αγνοήστε|ξέχασε|ξεχάστε|παράβλεψε",
    "προηγούμεν|όλες|παραπάνω|αρχικ",
    "οδηγί|εντολ|προτροπ",
    { before: "μου |μας ", behind: "μου |μας " },
  ],
  [
    "ignora |ignoreu|oblida |oblideu",
    "anterior|totes|prèvi",
    "instruccion|indicacion|ordres",
    { before: "meves |meva |meus |nostr", behind: "meves |nostr" },
  ],
  [
    "injoro |shpërfill|harro ",
    "mëparshm|gjitha|sipërm",
    "udhëzim|instruksion|urdhr",
    { before: "mia |mi ", behind: "e mia |të mia |tona " },
  ],
  // Arabic, Persian, Hebrew, Urdu, Hindi, Bengali
  [
    "تجاهل|انس |انسى|لا تتبع|أهمل",
    "السابقة|جميع|كل |أعلاه|الأصلية",
    "التعليمات|تعليمات|الأوامر|التوجيهات|إرشادات",
    { behind: "الخاصة بي |مني |التي أرسلتها ", endings: "ي|اتي|اتنا|نا" },
  ],
  [
    "نادیده بگیر|فراموش کن|نادیده",
    "قبلی|پیشین|تمام|همه|بالا",
    "دستور|فرمان|راهنما",
    { behind: "من |ما |خودم ", endings: "م|مان" },
    true,
  ],
  [
    "התעלם|התעלמו|התעלמי|שכח|שכחו",
    "הקודמות|כל |הקודם|לעיל|המקוריות",
    "ההוראות|מההוראות|הוראות|ההנחיות|הנחיות|הפקודות",
    { behind: "שלי |שלנו |שנתתי |ששלחתי ", endings: "תיי|תי" },
  ],
  ["نظر انداز|بھول جا", "پچھلی|سابقہ|تمام|پہلے", "ہدایات|احکامات", { before: "میری |میرے |میرا |ہماری |ہمارے " }, true],
  [
    "अनदेखा|नज़रअंदाज़|भूल जा|उपेक्षा",
    "पिछले|पिछली|सभी|पहले|उपरोक्त",
    "निर्देश|आदेश|अनुदेश",
    { before: "मेरे |मेरी |मेरा |हमारे |हमारी " },
    true,
  ],
  ["উপেক্ষা|ভুলে যা|অগ্রাহ্য", "পূর্ববর্তী|আগের|সমস্ত|সব ", "নির্দেশ|আদেশ", { before: "আমার |আমাদের " }, true],
  // Vietnamese, Indonesian, Malay, Tagalog, Swahili
  [
    "bỏ qua|quên |phớt lờ|không tuân theo",
    "trước|tất cả|mọi |bên trên|ban đầu",
    "hướng dẫn|chỉ dẫn|chỉ thị|lệnh",
    { behind: "của tôi |của em |của mình |của chúng tôi |tôi đã |tôi gửi " },
  ],
  [
    "abaikan|lupakan|jangan ikuti",
    "sebelumnya|semua|di atas|terdahulu|sebelum ini",
    "instruksi|perintah|petunjuk|arahan",
    { behind: "saya |aku |kami " },
  ],
  [
    "huwag pansinin|balewalain|kalimutan",
    "nakaraang|naunang|lahat",
    "tagubilin|instruksyon|utos",
    { before: "aking |aming ", behind: "ko |namin " },
  ],
  ["puuza |sahau |usifuate", "yaliyotangulia|awali|yote|zote", "maagizo|maelekezo|amri", { behind: "yangu |yetu " }],
];
const orders = ORDERS.flatMap(([verbs, earlier, called, mine, verbLast]) => [
  unlessOwn(mine, strong("override", verbs, earlier, called)),
  unlessOwn(mine, strong("override", verbs, called, earlier)),
  ...(verbLast ? [unlessOwn(mine, strong("override", earlier, called, verbs), true)] : []),
  ...(verbLast ? [unlessOwn(mine, strong("override", called, earlier, verbs), true)] : []),
]);

/** Asks for a secret in an answer, as a person may ask a person: a verb and the secret, or the other way round. */
const ANSWER_CHARS = 70;
const ANSWERS: [first: string, second: string][] = [
  [
    "reply |respond |answer |give me|tell me|send me|include |disclose |hand over|reveal |output |print |share ",
    "code|password|token|api key|access key|secret|credential|pin ",
  ],
  [
    "antworte|beantworte|nenne |gib |schreibe ",
    "code|bestätigungscode|sicherheitscode|anmeldecode|einmalcode|passwort|kennwort|schlüssel|zugangsdaten|token",
  ],
  ["répond|indique|donne", "code|mot de passe|clé|jeton|identifiants"],
  ["responde|responda|contesta|indica|dime", "código|contraseña|clave|token"],
  ["responda|responde|informe|diga", "código|senha|chave|palavra passe"],
  ["rispond|indica|dimmi", "codice|password|chiave|token"],
  ["antwoord|beantwoord|geef ", "code|verificatiecode|inlogcode|wachtwoord|sleutel|token"],
  ["svara |svar |besvar", "kod|engångskod|lösenord|adgangskode|engangskode|passord"],
  ["vastaa", "koodi|vahvistuskoodi|salasana"],
  ["odpowiedz|podaj|odpověz|odpovedz|uveď", "kod|kód|hasł|hesl|klucz|klíč|token"],
  ["válaszolj|írd meg", "kód|jelsz"],
  ["răspunde|indică", "cod|parol"],
  ["απάντησε|απαντήστε|πες", "κωδικ|κλειδ"],
  ["ответь|сообщи|пришли|відповідай|надішли|повідом", "код|парол|ключ|токен"],
  ["kod|şifre|parola|anahtar", "yanıtla|cevapla|gönder|bildir"],
  ["رد على|أجب|أرسل|أخبر", "رمز|الرمز|برمز|كلمة المرور|كلمة السر|المفتاح"],
  ["השב|ענה|שלח", "קוד|הקוד|סיסמ|הסיסמ|מפתח|בקוד"],
  ["کد |رمز |گذرواژه", "پاسخ|بفرست|ارسال"],
  ["कोड|पासवर्ड", "जवाब|भेज|उत्तर|बता"],
  ["কোড|পাসওয়ার্ড", "উত্তর|পাঠা|জানা"],
  ["trả lời|cho biết", "mã |mật khẩu|khóa"],
  ["balas|jawab|beri", "kode|kata sandi|sandi|kunci|token|kod "],
  ["jibu|tuma ", "nambari|nenosiri|msimbo"],
  ["验证码|驗證碼|密码|密碼|密钥|金鑰", "寄到|寄給|寄给|传给|傳給|发送|發送|发到|回复|回覆"],
  ["回复|回覆|告诉|告訴|提供|附上|发给|發給", "验证码|驗證碼|密码|密碼|密钥|金鑰"],
  ["認証コード|確認コード|パスワード|キー", "返信|教え|送っ|返答"],
  ["인증 코드|인증번호|비밀번호|코드", "회신|답장|알려|보내"],
];

/** What is said before words that are only named: "mail with the words …". */
export const NAMES_WORDS =
  "word words phrase phrases string strings text texts sentence sentences line lines like as titled called pattern patterns keyword " +
  "keywords payload payloads wort wörter wörtern satz sätze sätzen text wie mots expression comme palabras frase frases como parole come " +
  "woorden zin zinnen zoals słowa słowami zdanie слова словами фраза фразу фразой";

export const WORLD: Phrase[] = [
  ...german,
  ...french,
  ...spanish,
  ...portuguese,
  ...italian,
  ...dutch,
  ...polish,
  ...turkish,
  ...russian,
  ...chinese,
  ...japanese,
  ...korean,
  ...orders,
  ...ANSWERS.map((slots): Phrase => ({ ...weak("answer", ...slots), within: ANSWER_CHARS })),
];
