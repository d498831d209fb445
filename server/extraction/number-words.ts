// Words beside numbers and senders that say what a number is, as patterns: those that need more than a line of code-words.ts.

/** The number of a confirmation is that of a booking or an order, and the number of a registration that of a request. */
export const CONFIRMS =
  /confirm|conferma|best[äa]tigung|bevestig|potwierdz|potvrd|подтвержд|підтвердж|megerősít|regist|rejestr|rekister|rekistr|reģistr|зарегистр|зареєстр|регистр|kayd|kayıt|terdaftar|didaftar|καταχωρ|נרשמ|تسجيل(?! الدخول)|ثبت|登録|登记|登記|접수|등록/iu;

/** The number of a meeting or a conference call, beside which a passcode is no one-time code. In small letters. */
export const MEETING =
  /(?:meeting|conference|webinar|besprechungs?|vergader(?:ing)?|möte|møde|toplantı|kokous|спотканн?|конференци)[- ]?(?:id|no|kimliği)(?!\p{L})|\bid[- ](?:de (?:la )?)?(?:réunion|reunión|reunião|riunione|spotkania|schůzky|конференции|вебинара)|идентификатор конференции|(?:会议|會議)(?:id|号|號)|ミーティング ?id|회의 ?id/u;

/** What the number of the post is called in India. */
export const POST_IN_INDIA = /pin[ -]?code|पिन ?कोड|পিন ?কোড|பின் ?கோடு|పిన్ ?కోడ్|ಪಿನ್ ?ಕೋಡ್|പിൻ ?കോഡ്|પિન ?કોડ/iu;

/** Senders that nobody can answer. */
export const ROBOT =
  /no[-_.]?repl|do[-_.]?not[-_.]?repl|noreply|nao[-_.]?responda|no[-_.]?responder|nicht[-_.]?antworten|mailer|bounce/i;

/** Senders that write about accounts. */
export const AUTHENTICATION =
  /auth|login|log-in|signin|sign-in|verif|secur|account|konto|otp|code|^id$|access|sso|confirm|token|pin/i;

/** Words after a number that make it an amount, a duration, a date or part of an address. */
export const UNIT_AFTER = new RegExp(
  [
    `^(?:[%‰°$€£¥₽₺₩]|\\s?(?:min(?:ute|uten|utes|utos|uti|uut)?|mins|hours?|days?|sec(?:onds?)?|weeks?|months?|years?|stunden|tage|heures|jours`,
    `|horas|días|dias|ore|giorni|uur|dagen|godz|dni|saat|gün|dakika|часов|минут|дней|am|pm|usd|eur|euros?|gbp|chf|tl|try|zł|pln|руб\\p{L}{0,3}`,
    `|kwh|km|kg|g|gb|mb|px|dpi|people|others|readers|items|times|pts|points|punkte|puntos|ile biten|kr|sek|nok|dkk)(?!\\p{L})`,
    `|\\s?(?:年|年|月|日|円|元|원|년|월|일|号|號|番地|명|人|点|分|분|시|時|个|個|件|개)(?!証|证))`,
  ].join(""),
  "iu",
);

/** Before an example: "such as 123456". */
export const EXAMPLE =
  /(?<!\p{L})(?:such as|for example|for instance|examples?|e\.? ?g\.?|beispiel(?:sweise)?|z\. ?b\.|(?:par |p\. ?)ex(?:emple|\.)?|(?:por |p\. ?)e(?:jemplo|xemplo|j\.|x\.)|(?:ad )?esempio|bijv(?:oorbeeld|\.)|t\. ?ex\.|(?:till )?exempel|f\. ?eks\.|eksempel|esim(?:erkiksi|\.)|np\.|na przykład|např\.|například|napr(?:íklad)?\.?|például|pl\.|de exemplu|například|на?пример|наприклад|напр\.|π\.? ?χ\.?|örne(?:ğin|k)|misalnya|contoh(?:nya)?|ví dụ|halimbawa|לדוגמה|مثل|مثال|مثلا)[^\n]{0,12}$|(?:例|例えば|例如|比如|예|예를 들어|เช่น|उदाहरण)[^\n]{0,6}$/iu;
