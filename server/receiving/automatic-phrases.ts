// The subjects of absence notes and other automatic replies.

/**
 * Subjects that mail programs write before an absence note, alone or before the subject that they answer. Rules of servers and
 * gateways that remove headers leave nothing else. A person who answers such a mail writes `Re:` first, and one who is away also writes
 * "Out of office: 3-7 February": so the words say that a program wrote.
 */
const AUTOMATIC_SUBJECTS = [
  "auto-?(?:matic |mated )?(?:reply|response)|out[ -]of[ -](?:the )?office (?:auto-?)?reply",
  "automatische antwort|abwesenheits(?:notiz|meldung|assistent)|automatisch antwoord|automatische (?:reactie|beantwoording)|afwezigheidsbericht",
  "réponse automatique|message d['’]absence|respuesta automática|resposta autom[áà]tica|risposta automatica|răspuns automat",
  "automatisk(?:t)? svar|autosvar|fraværsbesked|frånvaromeddelande|automaattinen vastaus|poissaoloviesti|sjálfvirkt svar",
  "automaatvastus|automātisk(?:ā|a) atbilde|automatinis atsakymas",
  "odpowiedź automatyczna|autoodpowiedź|automatick(?:á|a) odpověď|automatická odpoveď|samodejni odgovor|automatski odgovor|аутоматски одговор|automatikus válasz",
  "автоматический ответ|автоответ|автоматична відповідь|автоматичен отговор|аўтаматычны адказ|автоматско одговарање|αυτόματη απάντηση|otomatik (?:yanıt|cevap)|avtomatik cavab",
  "מענה אוטומטי|תשובה אוטומטית|رد تلقائي|پاسخ خودکار|स्वचालित (?:उत्तर|जवाब)|স্বয়ংক্রিয় উত্তর|(?:การ)?ตอบกลับอัตโนมัติ|trả lời tự động|balasan (?:otomatis|automatik)",
  "自動(?:返信|応答|回覆|回复|答复)|自动(?:回复|答复)|자동 ?(?:회신|응답)",
];

/** At the start of a subject that ends there or goes on after a colon. */
export const AUTOMATIC_SUBJECT = new RegExp(
  `^[\\s【\\[(]*(?:${AUTOMATIC_SUBJECTS.join("|")})[\\s】\\])]*(?:$|[:：]|(?<=[】\\])]))`,
  "iu",
);
