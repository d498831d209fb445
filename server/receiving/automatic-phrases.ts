// The subjects of absence notes and other automatic replies.

/**
 * Subjects that mail programs write before an absence note, alone or before the subject that they answer: those of Outlook in its
 * languages, and of others. Rules of servers and gateways that remove headers leave nothing else. A person who answers such a mail
 * writes `Re:` first.
 */
const AUTOMATIC_SUBJECTS = [
  "auto-?(?:matic |mated )?(?:reply|response)|out[ -]of[ -](?:the )?office (?:auto-?)?reply",
  "automatische antwort|abwesenheits(?:notiz|meldung|assistent)|automatesch äntwert|automatisch antwoord|automatische (?:reactie|beantwoording)|afwezigheidsbericht|outomatiese antwoord",
  "réponse automatique|message d['’]absence|respuesta automática|resposta autom[áàa]tica|risposta automatica|răspuns automat|erantzun automatikoa",
  "automatisk(?:t)? svar|autosvar|fraværs(?:besked|melding|svar)|frånvaromeddelande|automaattinen vastaus|poissaoloviesti|sjálfvirkt svar|fjarvistartilkynning",
  "automaatvastus|automātisk(?:ā|a) atbilde|automatinis atsakymas|tweġiba awtomatika|freagra uathoibríoch|ateb awtomatig",
  "odpowiedź automatyczna|automatyczna odpowiedź|autoodpowiedź|automatick(?:á|a) odpověď|automatická odpoveď|samodejni odgovor|automatski odgovor|аутоматски одговор|automatikus válasz|përgjigje automatike|(?:automatsko )?obaveštenje o odsustvu",
  "автоматический ответ|автоответ|автоматична відповідь|автоматичен отговор|аўтаматычны адказ|автоматски одговор|автоматты жауап|автоматтык жооп|автомат хариу(?:лт)?|автоматик җавап|ҷавоби худкор|αυτόματη απάντηση|otomatik (?:yanıt|cevap)|avtomatik (?:cavab|javob)",
  "ავტომატური პასუხი|(?:ավտոմատ|ինքնաշխատ) պատասխան|(?:ራስ-?ሰር|አውቶማቲክ) ምላሽ",
  "מענה אוטומטי|תשובה אוטומטית|(?:ال)?رد (?:ال)?تلقائي|پاسخ خودکار|خودکار جواب|خود(?:کار|بخود) جواب|ئاپتوماتىك جاۋاب",
  "स्व(?:चालित|यंचलित) (?:उत्तर|जवाब|जवाफ|प्रत्युत्तर)|स्वतः (?:उत्तर|जवाब)|স্বয়ংক্রিয় (?:উত্তর|জবাব)|ਸਵੈਚਲਿਤ ਜਵਾਬ|ਆਟੋਮੈਟਿਕ ਜਵਾਬ|(?:સ્વચાલિત|સ્વતઃ|ઑટોમેટિક) (?:જવાબ|પ્રત્યુત્તર)|ସ୍ୱୟଂଚାଳିତ ଉତ୍ତର",
  "தானியங்(?:கு|கி) (?:பதில்|மறுமொழி)|தானியக்கப் பதில்|స్వయంచాలక (?:ప్రత్యుత్తరం|జవాబు|సమాధానం)|ಸ್ವಯಂ(?:ಚಾಲಿತ)? (?:ಪ್ರತ್ಯುತ್ತರ|ಉತ್ತರ)|(?:സ്വയമേവയുള്ള|സ്വപ്രേരിത|യാന്ത്രിക) മറുപടി|ස්වයංක්‍?රීය (?:පිළිතුර|ප්‍?රතිචාරය)",
  "(?:การ)?ตอบกลับอัตโนมัติ|ການຕອບກັບອັດຕະໂນມັດ|ຕອບກັບອັດຕະໂນມັດ|ការឆ្លើយតបស្វ័យប្រវត្តិ|ឆ្លើយតបស្វ័យប្រវត្តិ|အလိုအလျောက် (?:ပြန်စာ|အကြောင်းပြန်ချက်)|trả lời tự động|(?:balasan|jawapan) (?:otomatis|automatik)|awtomatikong (?:tugon|sagot)|jibu (?:la )?(?:kiotomatiki|otomatiki)",
  "自動(?:返信|応答|回覆|回复|答复)|自动(?:回复|答复)|(?:부재 ?중 ?)?자동 ?(?:회신|응답|답장)|不在(?:時自動)?(?:応答|返信)通?知?",
];
/** What absence notes of other programs begin with. A person who is away writes so too, but not in answer to a mail. */
const ABSENCE_SUBJECTS = [
  "out[ -]of[ -](?:the )?office(?: notice| notification| message)?|away from (?:the )?office|vacation (?:reply|notice)",
  "abwesend|nicht im büro|afwezig|niet op kantoor|absen(?:t|ce) du bureau|absence|fuera de (?:la )?oficina|mensaje de ausencia|fora do escritório|ausência(?: temporária)?|fuori (?:sede|ufficio)|assenza",
  "ikke (?:til stede|på kontoret)|inte på kontoret|poissa(?: toimistosta)?|nieobecność(?: w biurze)?|poza biurem|mimo kancelář|házon kívül|ofis dışında|în afara biroului",
  "нет на (?:месте|работе)|вне офиса|поза офісом|εκτός γραφείου|不在(?:通知|のお知らせ)|不在办公室|外出|부재 ?중",
];

const either = (subjects: string[]) =>
  new RegExp(`^[\\s【\\[(]*(?:${subjects.join("|")})[\\s】\\])]*(?:$|[:：](.*)|(?<=[】\\])]).*)`, "isu");
const AUTOMATIC_SUBJECT = either(AUTOMATIC_SUBJECTS);
const ABSENCE_SUBJECT = new RegExp(`^[\\s【\\[(]*(?:${ABSENCE_SUBJECTS.join("|")})[\\s】\\])]*[:：]\\s*\\S`, "iu");
const QUESTION = /[?¿？؟]/;
/** People begin a sentence behind a colon in lower case; three words or more, since subjects of few words do so too. */
const SENTENCE = /^\s*\p{Ll}\S*(?:[\s,]+\S+){2}/u;

/**
 * Sentences that Notes writes of the person who is away, behind the name: "Ada Lace is out of the office. (returning 12/07/2026)".
 * The whole date in brackets is needed, and no `Re:`: people also write that another person is away.
 */
const AWAY =
  /(?<!\p{L})(?:is (?:currently )?(?:out of|away from) the office|ist (?:außer haus|nicht im (?:büro|haus)|abwesend)|est (?:absente?(?:\(e\))?|en dehors)|(?:está|estará) (?:fuera|ausente|fora)|è (?:fuori|assente)|is (?:niet (?:op kantoor|aanwezig)|afwezig)|er (?:ikke (?:på|til)|ude af|fraværende)|är (?:inte på|frånvarande|borta)|on poissa|ei ole (?:toimistossa|paikalla)|jest (?:poza|nieobecn)|je (?:mimo|mimoriadne|odsoten|odsutan)|nu este|ofis dışında)|(?:отсутствует|нет) (?:в офисе|на рабочем месте)|не в офисе|(?:відсутній|відсутня) (?:в офісі|на робочому місці)|λείπει από το γραφείο|εκτός γραφείου|nincs az irodában|irodán kívül|不在办公室|不在辦公室|외출 중입니다|부재 중입니다|מחוץ למשרד|خارج المكتب/iu;
const DATED =
  /[(（](?=[^()（）]*\p{L})[^()（）\d]{0,60}(?:\d{4}[./年-]\s?\d{1,2}[./月-]\s?\d{1,2}日?|\d{1,2}[./-]\s?\d{1,2}[./-]\s?(?:\d{4}|\d{2}))[^()（）\d]{0,60}[)）]\s*$/u;
/** What people's programs write before the subject that they answer. */
const ANSWER = /^\s*\p{L}{2,4}\s*[:：]/u;
const AUTO = /^AUTO\s*[:：-]/i;

/** @param isAnswer the mail says that it answers another one */
export function isAutomaticSubject(subject: string, isAnswer: boolean): boolean {
  const found = AUTOMATIC_SUBJECT.exec(subject);
  if (found) {
    // A person who asks about automatic answers begins with these words too, and answers nothing.
    const rest = found[1] ?? "";
    return isAnswer || !(QUESTION.test(rest) || SENTENCE.test(rest));
  }
  if (isAnswer && ABSENCE_SUBJECT.test(subject)) return true;
  return (AUTO.test(subject) || (AWAY.test(subject) && !ANSWER.test(subject))) && DATED.test(subject);
}
