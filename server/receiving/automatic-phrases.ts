// The subjects of absence notes and other automatic replies.

/**
 * Subjects that mail programs write before an absence note, alone or before the subject that they answer. Rules of servers and
 * gateways that remove headers leave nothing else. The words are evidence: a person who answers such a mail writes `Re:` first.
 */
const AUTOMATIC_SUBJECTS = [
  "auto-?(?:matic |mated )?(?:reply|response)|auto-?responder|out[ -]of[ -](?:the )?office(?: (?:auto-?)?reply)?|(?:i am )?away from (?:my mail|the office)",
  "automatische antwort|abwesenheit(?:snotiz|smeldung|sassistent)?|abwesend|automatisch antwoord|automatische (?:reactie|beantwoording)|afwezig(?:heid(?:sbericht)?)?",
  "réponse automatique|absence du bureau|message d['’]absence|je suis absente?|respuesta automática|fuera de (?:la )?oficina|resposta autom[áà]tica|fora (?:do escritório|de l['’]oficina)|ausência temporária",
  "risposta automatica|(?:fuori ufficio|assente dall['’]ufficio)|răspuns automat",
  "automatisk(?:t)? svar|autosvar|fravær(?:sbesked)?|frånvaro(?:meddelande)?|ikke til stede|automaattinen vastaus|poissaolo(?:viesti)?|sjálfvirkt svar|automaatvastus|automātisk(?:ā|a) atbilde|automatinis atsakymas",
  "odpowiedź automatyczna|autoodpowiedź|nieobecn(?:y|a|ość) w biurze|automatick(?:á|a) odpověď|automatická odpoveď|mimo kancelář|samodejni odgovor|automatski odgovor|аутоматски одговор|automatikus válasz|házon kívül",
  "автоматический ответ|автоответ|автоматична відповідь|автоматичен отговор|аўтаматычны адказ|автоматско одговарање|αυτόματη απάντηση|otomatik (?:yanıt|cevap)|avtomatik cavab",
  "מענה אוטומטי|תשובה אוטומטית|رد تلقائي|پاسخ خودکار|स्वचालित (?:उत्तर|जवाब)|স্বয়ংক্রিয় উত্তর|ตอบกลับอัตโนมัติ|การตอบกลับอัตโนมัติ|trả lời tự động|balasan otomatis|balasan automatik",
  "自動(?:返信|応答|回覆|回复|答复)|自动(?:回复|答复)|不在(?:通知|のお知らせ)|자동 ?(?:회신|응답)|부재중",
];

/** At the start of a subject that ends there or goes on after a colon. */
export const AUTOMATIC_SUBJECT = new RegExp(
  `^[\\s【\\[(]*(?:${AUTOMATIC_SUBJECTS.join("|")})[\\s】\\])]*(?:$|[:：]|(?<=[】\\])]))`,
  "iu",
);
