// The words with which a mail addresses a machine that reads it, and orders it about: data for addressed.ts.
import type { Phrase } from "./phrase.ts";

/**
 * Words of a concept, one language a line. Entries are beginnings of words, separated by `|`; one that ends with a space is a whole
 * word. In scripts without spaces, or with attached endings, they stand anywhere.
 */
export type Words = string[];
export const entriesOf = (words: Words) => words.join("|").split("|");
/** Words of these scripts have no spaces around them, or endings and articles that are attached. */
export const ATTACHED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Hebrew}\p{Script=Arabic}]/u;

/** What a machine is called by its letters, as they are written. In small letters some are words of people: Italian "ai". */
export const LETTERS = "AI|A\\.I\\.|IA|I\\.A\\.|KI|LLMs?|YZ|ΤΝ|ИИ|ии|ШІ|ші|اے آئی|एआई|এআই|एआइ";

/** What people and things are called, too: it must be said that they summarize this. */
export const COMMON: Words = [
  "model|modèle|модел|μοντέλ|assistant|assistent|asistent|asystent|asisten|asistan|avustaj|asszisztens|помощник|помічник|ассистент|асистент|βοηθ|program|программ|програм",
  "النموذج|للنموذج|المساعد|للمساعد|البرنامج|للبرنامج|המודל|למודל|העוזר|לעוזר|مدل|دستیار|मॉडल|सहायक|মডেল|mô hình|trợ lý|โมเดล|ผู้ช่วย|モデル|アシスタント|プログラム|모델|비서|프로그램|어시스턴트|模型|助手|助理|程序",
];

/** What a machine is called in words. */
export const MACHINES: Words = [
  // In many languages
  "sistema automátic|sistemas automátic|systèmes automatiques|sistema automatic|sistemi automatic|sistemi automatizzat|автоматическ систем|автоматичн систем|chatbot|чат бот|чатбот|チャットボット|챗봇|聊天机器人",
  // English
  "ai agent|ai assistant|ai bot|ai model|ai system|ai tool|llm|gpt|chatgpt|language model|artificial intelligence|mail agent|mail assistant|mail bot|" +
    "email agent|email assistant|email bot|e mail agent|e mail assistant|e mail bot|mailbox agent|mailbox assistant|inbox agent|inbox assistant|inbox bot|" +
    "virtual assistant|automated agent|automated assistant|automatic agent|automatic assistant|autonomous agent|autonomous assistant|digital agent|digital assistant|" +
    "automated reader|automated summar|automated tool|automated system|machine reading|software agent",
  // German
  "künstliche intelligen|sprachmodell|mailagent|mailassistent|mail assistent|e mail agent|postfach agent|postfach assistent|postfachassistent|" +
    "digitale assistent|virtuelle assistent|automatisierte assistent|automatisierte system|autonome agent|softwareagent",
  // French
  "intelligence artificielle|modèle de langage|modèles de langage|agent ia|agents ia|assistant ia|assistants ia|assistant virtuel|assistant numérique|assistant automatique|" +
    "assistant de messagerie|agent de messagerie|agent conversationnel|agent autonome|robot de messagerie|assistant intelligent|système automatisé|systèmes automatisés",
  // Spanish, Portuguese, Catalan
  "inteligencia artificial|modelo de lenguaje|modelos de lenguaje|agente de ia|agentes de ia|asistente de ia|asistentes de ia|asistente virtual|asistente digital|" +
    "asistente automático|asistente de correo|asistente inteligente|agente de correo|agente automático|agente autónomo|bot de correo|bots de correo|sistema automatizado|sistemas automatizados",
  "modelo de linguagem|assistente de ia|assistentes de ia|assistente virtual|assistente digital|assistente de e mail|assistente de email|agente de e mail|agente de email|" +
    "agente automático|agente autônomo|robô de e mail|assistente inteligente|intelligència artificial|model de llenguatge",
  // Italian
  "intelligenza artificiale|modello linguistico|modello di linguaggio|modelli linguistici|assistente ia|agente ia|assistente ai|agente ai|assistente virtuale|assistente digitale|" +
    "assistente di posta|agente di posta|agente autonomo|agente automatico|assistente automatico",
  // Dutch
  "kunstmatige intelligentie|taalmodel|mailagent|mailassistent|e mailassistent|e mail assistent|digitale assistent|virtuele assistent|postvakassistent",
  // Swedish, Danish, Norwegian
  "artificiell intelligens|språkmodell|mejlagent|mejlassistent|e postassistent|e postagent|digital assistent|virtuell assistent|digitala assistent",
  "kunstig intelligens|sprogmodel|mailassistent|e mailassistent|postassistent|digitale assistent|virtuel assistent",
  // Finnish, Estonian, Hungarian
  "tekoäly|kielimalli|sähköpostiavustaj|sähköpostiagent|postiavustaj|virtuaaliavustaj|tehisintellekt|tehisaru|keelemudel",
  "mesterséges intelligenci|nyelvi modell|mi asszisztens|mi ügynök|mi modell|mi rendszer|virtuális asszisztens|digitális asszisztens|levelező asszisztens",
  // Polish, Czech, Slovak, Slovene, Croatian
  "sztuczn inteligencj|model językow|modelu językow|modelem językow|modeli językow|wirtualn asystent|cyfrow asystent|agent pocztow|agenta pocztow|asystent pocztow|asystenta pocztow",
  "uměl inteligenc|umel inteligenc|jazykov model|virtuální asistent|virtuálního asistent|digitální asistent|e mailov asistent|e mailov agent|poštovní asistent|poštovního asistent",
  "umetn inteligenc|umjetn inteligencij|jezikovn model|jezičn model|veštačk inteligencij",
  // Romanian, Greek, Albanian
  "inteligenț artificial|model lingvistic|modelul lingvistic|model de limbaj|modelul de limbaj|asistent virtual|asistentul virtual|agent de e mail|agentul de e mail|asistentul de e mail",
  "τεχνητή νοημοσύν|τεχνητής νοημοσύν|γλωσσικ μοντέλ|ψηφιακ βοηθ|εικονικ βοηθ|inteligjenc artificial",
  // Russian, Ukrainian, Bulgarian, Serbian
  "искусственн интеллект|языков модел|нейросет|нейронн сет|виртуальн ассистент|виртуальн помощник|цифров помощник|почтов агент|почтов ассистент|почтов бот|почтов робот",
  "штучн інтелект|мовн модел|нейромереж|віртуальн помічник|віртуальн асистент|цифров помічник|поштов агент|поштов помічник|изкуствен интелект|изкуствени интелект|езиков модел|вештачк интелигенциј",
  // Turkish
  "yapay zek|dil model|sanal asistan|dijital asistan|e posta asistan|posta asistan|e posta ajan",
  // Arabic, Persian, Urdu, Hebrew
  "الذكاء الاصطناعي|للذكاء الاصطناعي|ذكاء اصطناعي|بالذكاء الاصطناعي|مساعد ذكي|المساعد الذكي|للمساعد الذكي|الوكيل الذكي|للوكيل الذكي|وكيل ذكي|نموذج لغوي|النموذج اللغوي|للنموذج اللغوي|نموذج لغة|المساعد الآلي|المساعد الافتراضي",
  "هوش مصنوعی|دستیار هوشمند|دستیار مجازی|عامل هوشمند|مدل زبانی|مصنوعی ذہانت",
  "בינה מלאכותית|הבינה המלאכותית|לבינה המלאכותית|מודל שפה|מודל השפה|למודל השפה|סוכן הדואר|לסוכן הדואר|העוזר הדיגיטלי|לעוזר הדיגיטלי|העוזר הווירטואלי|לעוזר הווירטואלי|סוכן המייל|לסוכן המייל",
  // Hindi, Bengali
  "कृत्रिम बुद्धिमत्ता|आर्टिफिशियल इंटेलिजेंस|भाषा मॉडल|डिजिटल सहायक|वर्चुअल असिस्टेंट|কৃত্রিম বুদ্ধিমত্তা|ভাষা মডেল",
  // Indonesian, Malay, Vietnamese, Tagalog, Swahili
  "kecerdasan buatan|kecerdasan artifisial|model bahasa|asisten virtual|asisten digital|asisten email|agen email|agen surel|pembantu maya|pembantu digital|agen e mel|ejen e mel",
  "trí tuệ nhân tạo|mô hình ngôn ngữ|trợ lý ảo|trợ lý số|trợ lý ai|tác nhân ai|akili bandia|modelo ng wika",
  // Thai, Japanese, Korean, Chinese
  "ปัญญาประดิษฐ์|โมเดลภาษา|แบบจำลองภาษา|ผู้ช่วยอัจฉริยะ|ผู้ช่วยเสมือน|ผู้ช่วยดิจิทัล|เอไอ",
  "人工知能|言語モデル|生成ai|メールエージェント|メールアシスタント|自動応答ボット",
  "인공지능|언어 모델|언어모델|메일 에이전트|메일 비서|이메일 비서|가상 비서|디지털 비서|에이아이",
  "人工智能|人工智慧|语言模型|語言模型|智能助手|智能助理|智慧助理|邮件助手|邮件助理|郵件助理|邮件代理|智能体|智能代理|大模型",
  // By their work
  "summarizer|summariser|summary bot|summary tool|summary generator|summary model|summarization tool|summarization bot|summarization model|summarizing agent|summarizing model|summarizing tool",
  "zusammenfasser|zusammenfassungsbot|zusammenfassungsprogramm|zusammenfassungswerkzeug|zusammenfassungsmodell|zusammenfassende modell|zusammenfassende assistent|zusammenfassende programm",
  "résumeur|générateur de résumé|outil de résumé|robot de résumé|modèle de résumé|assistant de résumé|resumidor|generador de resúmenes|herramienta de resumen|modelo de resumen|asistente de resum|gerador de resumo|ferramenta de resumo|modelo de resumo|assistente de resumo",
  "riassuntore|generatore di riassunti|strumento di riassunto|modello di riassunto|assistente di riassunto|samenvatter|samenvattingstool|samenvattingsbot|samenvattingsmodel|samenvattingsprogramma",
  "sammanfattare|sammanfattningsverktyg|sammanfattningsbot|sammanfattningsmodell|opsummeringsværktøj|opsummeringsbot|opsummeringsmodel|oppsummeringsverktøy|oppsummeringsbot|oppsummeringsmodell",
  "tiivistäjä|tiivistelmätyökalu|tiivistelmäbot|yhteenvetotyökalu|kokkuvõtja|kokkuvõttetööriist|összegző|összefoglaló program|összefoglaló eszköz|összefoglaló modell",
  "streszczacz|generator streszczeń|narzędzie do streszczeń|narzędzie do streszczania|sumarizátor|sumarizér|shrnovač|nástroj pro shrnutí|nástroj na zhrnutie|sažimač|alat za sažetke|povzemalnik",
  "суммаризатор|саммаризатор|генератор пересказ|программ для пересказ|сервис пересказ|суматизатор|сумаризатор|генератор підсумк|резюматор",
  "rezumator|generator de rezumate|instrument de rezumat|εργαλείο περίληψης|εργαλείο σύνοψης|özetleyici|özet aracı|özetleme aracı|özetleme model",
  "أداة التلخيص|لأداة التلخيص|برنامج التلخيص|لبرنامج التلخيص|الملخص الآلي|للملخص الآلي|ابزار خلاصه|خلاصه ساز|כלי הסיכום|לכלי הסיכום|מסכם אוטומטי|המסכם האוטומטי|सारांशकर्ता|सारांश उपकरण|সারাংশকারী",
  "peringkas|perangkum|alat ringkasan|công cụ tóm tắt|trình tóm tắt|bot tóm tắt|เครื่องมือสรุป|โปรแกรมสรุป|ตัวสรุป",
  "要約ツール|要約ボット|要約プログラム|要約モデル|要約エージェント|요약기|요약 도구|요약 봇|요약봇|요약 프로그램|요약 모델|摘要工具|摘要程序|摘要程式|摘要机器人|摘要機器人|摘要模型|摘要器|总结工具|總結工具|总结模型",
];

/** What people are called, too, and what a mail says of its sender: it must read this mail. */
export const DOUBTFUL: Words = [
  "virtual|virtuel|virtuaal|виртуальн|віртуальн|виртуал|sanal asistan|wirtualn|εικονικ|pembantu maya|trợ lý ảo|वर्चुअल|ভার্চুয়াল",
  "مساعد الافتراضي|دستیار مجازی|עוזר הווירטואלי|ผู้ช่วยเสมือน|가상 비서|虚拟|虛擬",
  "sistema automatic|sistemas automatic|sistemi automati|systèmes automatiques|автоматическ|автоматичн|automated system|automatisierte|système automatisé|systèmes automatisés|sistema automatizado|sistemas automatizados",
];

/** How a name begins: a search by two letters costs time at most words. */
const beginning = (name: string) => /^(?:\S{1,3} )?\S+/u.exec(name)?.[0] ?? name;

/** The names of machines by what they begin with, to be looked for with all other phrases. */
export const MACHINE_NAMES = [...Map.groupBy(entriesOf([...MACHINES, ...COMMON]), beginning)].flatMap(
  ([first, names]): Phrase[] => {
    const next = names.map((name) => name.slice(first.length + 1).split(" ", 1)[0] ?? "");
    return [{ name: "machine", strength: "machine", slots: next.includes("") ? [first] : [first, next.join("|")] }];
  },
);

/** What a machine is: it may follow its letters. */
export const KINDS: Words = [
  "agent|agenci|asystenc|assist|asist|bot|model|system|sistem|tool|program|reader|client|ajan|agen |asystent|asszisztens|ügynök|avustaj|βοηθ|μοντέλ|агент|ассист|асист|модел|помощ|помічн|систем|бот|робот|helfer|hjelper|hjalp|pomocn",
  "läsare|læser|leser|lettor|lecteur|lector|leitor|lezer|czytnik|čten|читател|summari|zusammenfasser|résumeur|samenvat|sammanfatt|tiivistäj|streszczacz|суммаризатор|özetleyic|outil|herramienta|ferramenta|strument|werkzeug|trợ lý|tác nhân|robo",
  "πράκτορ|συστήμ|σύστημ|hệ thống|সহকারী|এজেন্ট|wasaidizi|msaidizi",
  "助手|助理|アシスタント|エージェント|모델|비서|에이전트|어시스턴트|代理|सहायक|एजेंट|असिस्टेंट|系统|系統|システム|시스템|ระบบ|أنظمة|نظام|סוכנ|סוכן|עוזר|وكيل|مساعد|نموذج|دستیار|ผู้ช่วย|เอเจนต์|ตัวแทน",
];

/** What a line that addresses a machine begins with, up to the machine: "For", but not "For a machine to read this". */
export const STARTS: Words = [
  "to the |to any |to all |to every |to whichever |to whatever |to an |to ai |to llm|to mail|to email|to e mail|to automat|for the |for any |for all |for every |for an |for ai |for llm|for mail|for email|for e mail|for automat|attention ",
  "dear |hello |hi |hey |liebe|hallo |achtung |cher|bonjour |hola |estimad|olá |caro |cara |prezad|gentile |ciao |beste |drog|witaj |уважаем|привет |шановн|привіт |vážen|hej |hei |kära |käre |kære |kjære |hyvä |kedves |tisztelt |drag|stimat|bună |αγαπητ|γεια |sevgili |sayın |merhaba ",
  "an die |an den |an das |an alle|an jede|an einen |an eine |an ki |an mail|für die |für den |für das |für alle|für jede|für ki |für mail|für sprach",
  "à l |à la |à tou|au |aux |pour l |pour la |pour le |pour les |pour tou",
  "a la |al |a los |a las |a todos |a todas |a cualquier|para el |para la |para los |para las |para todo|para cualquier|para asist|para agent|para ia |ao |aos |para o |para a |para os |para as |para qualquer|para assist",
  "all ia |all ai |all int|all ag|all ass|alla |al |agli |a tutt|per l |per la |per il |per i |per gli |per ogni|per tutt",
  "aan de |aan het |aan alle|aan elk|aan een |aan ai |voor de |voor het |voor alle|voor elk|voor een |voor ai |voor taal",
  "do agent|do asyst|do model|do sztuczn|do ai |do wszystkich |do każdego |do system|do bot|do wirtualn|dla agent|dla asyst|dla model|dla sztuczn|dla ai |dla wszystkich |dla każdego |dla system|dla bot|dla wirtualn",
  "для |к |до ",
  "pro ai |pro um|pro jazyk|pro agent|pro asist|pro všechn|pro každ|pro e mail|pre ai |pre um|pre jazyk|pre agent|pre asist|k ai ",
  "till |til |för ai|för den |för alla |for den |for alle ",
  "pentru agent|pentru asist|pentru model|pentru intelig|pentru ai |pentru orice |pentru toate |pentru toți |către |în atenția ",
  "προς |για τον |για τη|για το |για όλ|για κάθε ",
  "إلى |عزيزي|مرحبا|يا |به |برای |سلام ",
  "אל |עבור |שלום |לכבוד |היי |ל",
  "प्रिय |नमस्ते ",
  "za ai |za um|za asist|za agent|za model|za jezi|za vješt|para sa |sa mga |kwa ",
  "untuk |kepada |halo |hai |bagi ",
  "gửi |kính gửi |dành |xin chào |chào ",
  "ถึง|สำหรับ|เรียน|สวัสดี",
  "致|给|給|亲爱|親愛|你好|尊敬|各位",
];

/** What is written to someone. Other words may be joined to it: "Systemnachricht". */
export const NOTES: Words = [
  "note|message|instruction|attention|notice|command|memo|directive|system|announcement|configuration",
  "hinweis|nachricht|anweisung|achtung|auftrag|befehl|mitteilung|notiz|botschaft|aufgabe",
  "consigne|avis |ordre|communiqué|système|tâche",
  "nota |mensaje|instruccion|atencion|aviso|orden|comunicado|sistema|mensagem|instruç|atenção|ordem|ordens|diretriz|missatge",
  "messaggi|istruzion|attenzione|avvis|ordin|comunicazion|compito",
  "bericht|instructie|attentie|let op|opdracht|melding|notitie|systeem|mededeling|aandacht",
  "wiadomość|instrukcj|uwaga|uwadze|polecen|komunikat|notatk",
  "сообщени|инструкц|внимани|команда|указани|уведомлени|заметк|систем|задани|приказ|обращени",
  "повідомлен|увага|увазі|уваги|вказівк|сповіщен|примітк|завдан",
  "zpráv|správ|pozor|pokyn|příkaz|upozorněn|poznámk|oznámen|vzkaz",
  "meddelande|anvisning|viktigt|besked|beskjed|meddelelse|instruks|bemærk|merknad|oppgave|opgave",
  "viesti|ohje|huomio|käsky|ilmoitus|tehtävä|järjestelmä",
  "üzenet|utasítás|figyelem|figyelmébe|parancs|értesítés|megjegyzés|rendszer",
  "mesaj|instrucțiun|atenți|comand|notificare|anunț",
  "μήνυμα|οδηγί|προσοχή|εντολή|σημείωση|ειδοποίηση|σύστημα|υπόψη",
  "talimat|dikkat|komut|bildirim|görev|uyarı|duyuru",
  "رسالة|تعليمات|تنبيه|انتباه|أوامر|ملاحظة|إشعار|عناية|توجيه",
  "پیام|دستور|توجه|فرمان|یادداشت|اطلاعیه|سیستم",
  "הודע|הורא|לתשומת|פקודה|הערה|מערכת|הנחי",
  "संदेश|निर्देश|ध्यान|आदेश|सूचना",
  "pesan|instruksi|perhatian|perintah|catatan|pemberitahuan|arahan|mesej|makluman",
  "tin nhắn|thông báo|hướng dẫn|chỉ thị|lưu ý|chú ý|ghi chú|thông điệp",
  "ข้อความ|คำสั่ง|คำแนะนำ|โปรดทราบ|หมายเหตุ|ประกาศ",
  "メッセージ|指示|注意|命令|通知|連絡|お知らせ|宛",
  "메시지|지시|주의|명령|알림|공지|안내",
  "消息|指令|备注|系统|系統|说明|提示|公告|訊息|留言",
];

/** A condition: "if a machine reads this". */
export const CONDITIONS: Words = [
  "if |when |in case |should |as |since |si |cuando |en caso |se |quando |caso |wenn |falls |sofern |sollte |als |indien |wanneer |mocht |om |hvis |dersom |når |jos |jeśli |jeżeli |gdy ",
  "pokud |jestliže |když |ak |ako |če |если |якщо |коли |когда |ако |ha |amennyiben |dacă |în cazul |αν |εάν |όταν |eğer |kui ",
  "إذا|إن |لو |اگر|אם |במידה |यदि |अगर |jika |kalau |apabila |bila |sekiranya |nếu |khi |หาก|ถ้า|もし|場合|なら|만약|다면|라면|경우|如果|若|假如|要是|当你",
];

/** "you are" */
export const YOU_ARE: Words = [
  "you are |you re |eres |es usted |usted es |bist |sie sind |tu es |vous êtes |es tu |êtes vous |sei |siete |você é |és |for um |for uma |je bent |bent u |u bent |bent |jesteś |jsi |jste |si |ste ",
  "вы |ты |ви |ти |du är |är du |du er |er du |olet |vagy |ești |sunteți |είσαι |είστε |sen |siz |أنت|كنت|هستی|אתה |आप |तुम |anda |kamu |bạn |คุณ|あなた|당신|你|您",
];

/** The mail or the mailbox at hand. */
export const THIS_MAIL: Words = [
  "this mail|this email|this e mail|this message|this inbox|this mailbox|the inbox|the mailbox|this page|this text|this letter|these mails|these emails|these messages|this thread|incoming mail|reading this|reads this|" +
    "handling this|handles this|processing this|processes this|summarizing this|summarising this",
  "diese mail|diese e mail|diese email|diese nachricht|dieses postfach|das postfach|diesen text|dieser mail|dieser e mail|dieser nachricht|diese seite|diese post|dieses schreiben|posteingang",
  "ce message|ce mail|ce courriel|cet e mail|cet email|cette boîte|la boîte|ce texte|cette page|ces messages|ce courrier|cette messagerie|la messagerie",
  "este mensaje|este correo|este buzón|este email|este e mail|la bandeja|esta bandeja|el buzón|del buzón|esta casilla|este texto|esta página|esta cuenta|esta carta|los correos|estos mensajes",
  "esta mensagem|desta mensagem|esta caixa|desta caixa|a caixa|da caixa|deste e mail|este e mail|esse e mail|essa mensagem|essa caixa|estas mensagens|aquest missatge|aquest correu",
  "questa mail|questa email|questa e mail|questo messaggio|questa casella|la casella|della casella|questa posta|posta in arrivo|questo testo|questa pagina|questi messaggi",
  "deze mail|deze e mail|deze email|dit bericht|deze mailbox|de mailbox|deze inbox|de inbox|dit postvak|het postvak|deze tekst|deze berichten",
  "tę wiadomość|tej wiadomości|ten mail|tego maila|ten e mail|tę skrzynkę|tej skrzynki|skrzynkę|ten list|tę stronę|tę pocztę|te wiadomości",
  "это письмо|этого письма|этот ящик|эту почту|этим ящиком|этого ящика|почтовый ящик|почтовым ящиком|это сообщение|этот текст|эти письма|входящ|этой почт|эту страницу|этот почтов|этим почтов",
  "цей лист|цього листа|цю скриньк|цією скриньк|цю пошту|цю поштов|це повідомлення|скриньк|цей текст|вхідн|ці листи",
  "tuto zprávu|této zprávy|tento e mail|tento email|tento mail|schránk|tento dopis|tento text|tuto poštu|příchozí|túto správu|tuto stránku",
  "detta mejl|mejlet|detta meddelande|denna inkorg|inkorg|brevlåda|meddelandet|denna text|detta brev|detta mail|detta e post|den här e post",
  "denne mail|denne besked|indbakke|denne postkasse|denne e mail|denne tekst|disse mails|denne meddelelse",
  "denne e post|denne epost|denne melding|innboks|denne mailen|denne tekst",
  "tämän viestin|tätä viestiä|tämän sähköposti|tätä sähköposti|postilaatikko|saapuneet|tämän postilaatikon|tämän tekstin|tätä tekstiä|postilaatikon|seda kirja|selle kirja",
  "ezt az üzenetet|ezt a levelet|ezt az e mailt|ezt az emailt|postafiók|postaládá|bejövő|ezt a szöveget|ezt a fiókot",
  "acest mesaj|acest e mail|acest email|această căsuță|căsuța|mesajele|acest text|cutia poștală",
  "αυτό το μήνυμα|αυτό το email|αυτά τα εισερχόμενα|τα εισερχόμενα|αυτή τη θυρίδα|τη θυρίδα|αυτό το κείμενο|το παρόν|αυτό το mail|το μήνυμα αυτό",
  "bu e posta|bu eposta|bu mesaj|bu posta kutu|posta kutusu|gelen kutusu|bu ileti|bu metn|bu mail",
  "هذه الرسالة|هذا البريد|هذا الصندوق|صندوق الوارد|صندوق البريد|هذا النص|هذه الرسائل|البريد الوارد",
  "این ایمیل|این پیام|این صندوق|صندوق ورودی|این نامه|این متن",
  "ההודעה הזו|ההודעה הזאת|התיבה הזו|התיבה הזאת|המייל הזה|תיבת הדואר|הודעה זו|תיבה זו|מייל זה|הדואר הנכנס|הטקסט הזה",
  "यह ईमेल|इस ईमेल|यह संदेश|इस संदेश|इस मेलबॉक्स|इस इनबॉक्स|यह मेल|इस मेल",
  "email ini|pesan ini|kotak masuk|surel ini|kotak surat ini|e mel ini|mesej ini|peti masuk|surat ini|teks ini",
  "email này|thư này|hộp thư|tin nhắn này|hòm thư|văn bản này",
  "อีเมลนี้|ข้อความนี้|กล่องจดหมาย|จดหมายนี้|เมลนี้|กล่องขาเข้า",
  "このメール|この受信箱|この受信トレイ|このメッセージ|受信箱を|受信トレイを|この文章|本メール",
  "이 이메일|이 메일|이 편지함|받은편지함|이 메시지|메일함|이 글",
  "此邮件|这封邮件|此郵件|這封郵件|此邮箱|这个邮箱|此信箱|這個信箱|本邮件|该邮箱|收件箱|收件匣|这封信|這封信|本邮箱|此消息|这条消息|這則訊息",
];

/** What a sentence begins with that names its own kind: "This is a message for …". */
export const THIS_IS: Words = [
  "this is |here is |the following |dies ist |das ist |dies sind |das hier |es folgt |ceci est |voici |este es |esto es |esta es |esta é |este é |isto é |segue |questo è |questa è |ecco |dit is |hier volgt |to jest |oto |poniżej ",
  "это |ниже |це |toto je |to je |detta är |det här är |dette er |det her er |tämä on |ez egy |ez az |acesta este |aceasta este |αυτό είναι |ακολουθ|bu bir |bu |هذه |هذا |این |זו |זאת |यह |ini adalah |berikut |đây là |นี่คือ|これは|以下|이것은|다음은|这是|這是",
];

/** To whom something is written, where that is said behind it. Hungarian and Turkish attach it to the word. */
export const TO_WHOM: Words = ["के लिए |को |için |へ|様|에게|께"];

/** The same as an ending of the word. */
export const DATIVE_ENDINGS: Words = ["na|ne|nak|nek|ille|alylle|tele|ам|ям"];

/** "and", "or" */
export const AND: Words = [
  "and|or|und|oder|et|ou|y|o|e|en|of|och|og|eller|ja|i|a|oraz|и|или|та|і|ve|veya|si|sau|dan|va|και|es",
];

/** Directly before a machine that is spoken about, or that wrote the mail. */
export const SPOKEN_ABOUT: Words = [
  "our |your |my |his |her |their |by |about |using |via |help of |unser|dein|ihr|mein|von |durch |über |hilfe |notre |votre |nos |vos |ton |son |mon |par |sur |aide d|nuestr|tu |su |mi |por |sobre |mediante |ayuda d|nosso |nossa |seu |sua |meu |pela |pelo |ajuda d",
  "nostr|tuo |vostro |suo |mio |dal |dalla |tramite |sul |sull |aiuto d|onze |ons |uw |jouw |mijn |door |over |behulp van |nasz|twoj|twój|mój |przez |pomocą |наш|ваш|мой |свой |от |об |помощью |твій |мій |від |про |допомогою |náš |váš |můj |tvůj |od |pomocí ",
  "vår |vårt |din |ditt |min |av |af |hjälp av |hjælp af |vores |dit |deres |ajutorul |βοήθεια |με |بمساعدة |با کمک |בעזרת |bantuan |oleh |bởi |nhờ |由|用|โดย|ด้วย",
];

/** The same, unless an assistant stands before them: "an assistant with AI". */
export const WITH: Words = ["with |con |com |avec |mit |met |med |cu |dengan |với |z |ze |s |se |с |з "];

/** People who work with machines. */
export const PEOPLE_AROUND: Words = [
  "team|equipo|equipe|engineer|ingen|engenh|ingegn|inżyn|инженер|інженер|inžen|mérnök|mühendis|develop|entwickl|desarroll|desenvolv|svilupp|développ|разработ|розробн|vývoj|utveckl|udvikl|kehittäj|fejleszt|dezvolt|gelişt",
  "note taker|notetaker|note taking|agency|agence|agentur|agencia |agência|agenzia|conference|konferen|newsletter|summit|training|subscriber|abonn|builder|founder|leader|manager|professor|director|editor|coach|teacher|professional|practitioner|interess|lover|attend|curious|course|kurs|curso|corso|cours |workshop|community|users|nutzer|research|forsch|student|expert|startup|compan|empresa|firma|fans|friends|freunde|enthusiast|department|abteilung",
];

/** To ignore, and what says that rules do not hold. */
export const IGNORE: Words = [
  "ignore |ignoring |disregard|forget |override |bypass |neglect |discard |set aside|do not follow|don t follow|stop following|no longer|replaced|revoked|suspended|void |superseded|lifted|not apply|not bind|overridden|withdrawn",
  "ignorier|missacht|vergiss |vergessen sie|verwirf |übergeh|nicht befolg|befolge nicht|halte dich nicht|setze dich über|setz dich über|aufgehoben|ersetzt|ungültig|gelten nicht|gilt nicht|nicht mehr|außer kraft|hinfällig|widerrufen",
  "ignorez |oublie |oubliez |ne tiens p|ne tenez p|ne suis p|ne suivez p|ne respecte|outrepasse|passe outre|mets de côté|laisse de côté|remplacé|annulé|révoqué|caduc|plus valables|ne s appliquent plus|suspendu|levées",
  "ignora |ignoren |olvida|olvide|descarta |descarte |descarten |desestim|desobedece|caso omiso|no hagas caso|no sigas|no siga |pasa por alto|anulad|sustituid|reemplazad|revocad|derogad|no valen|ya no |dejan de|sin efecto|suspendid|oblida |oblideu ",
  "esqueça|esquece |desconsider|não siga|não obedeça|desobedeça|substituíd|revogad|cancelad|não valem|deixam de|deixe de lado|suspens",
  "ignorate |ignori |dimentica |dimenticate |dimentichi |trascura |non seguire|non tener|non considerare|scarta |sostituit|annullat|revocat|non valgono|non sono più|decadut|sospes",
  "negeer |vergeet |houd je niet|volg niet|trek je niets|vervangen|vervallen|gelden niet|ingetrokken|opgeheven|ongeldig|niet meer|niet langer",
  "zignoruj|ignoruj|zapomnij|pomiń |odrzuć |nie stosuj|nie zważaj|nie przestrzegaj|nie obowiązuj|unieważnion|zastąpion|uchylon|anulowan|już nie ",
  "игнорируй|проигнорируй|забудь|не следуй|не выполняй|не обращай|не слушай|не соблюдай|отбрось|отменен|отменя|заменен|аннулирован|недействительн|не действуют|утратил|больше не",
  "ігноруй|проігноруй|не виконуй|не зважай|не дотримуй|не слухай|відкинь|скасован|замінен|недійсн|не діють|більше не",
  "zapomeň|zabudni|nedbej|neřiď|neber |neberte |nedodržuj|nevšímej|přehlížej|nahrazen|zrušen|neplat|nahraden|ignoriraj|pozabi|zanemari|zaboravi",
  "ignorera|bortse|glöm |strunta |åsidosätt|ersatt|upphäv|gäller inte|hoppa över|följ inte|inte längre",
  "ignorer |ignorér |glem |se bort fra|tilsidesæt|tilsidesett|overse |følg ikke|erstattet|ophævet|opphevet|gælder ikke|gjelder ikke|annuller|ikke længere|ikke lenger",
  "ohita |ohittakaa|unohda|jätä huomio|älä noudata|älä välitä|älä seuraa|korvattu|kumottu|eivät ole voimassa|eivät päde|mitätöi|sivuuta|ignoreeri|unusta |eira ",
  "hagyd figyelmen|hagyja figyelmen|felejtsd|felejtse|ne vedd|ne kövesd|mellőzd|ne törődj|érvénytelen|hatályát|felülír|visszavon|nem érvényes",
  "ignoră |ignorați|uită |uitați|nu respecta|nu urma|nu ține|înlocuit|anulat|revocat|abrogat|nu mai|injoro |shpërfill|harro ",
  "αγνόησε|αγνοήστε|αγνόησ|ξέχασε|ξέχνα|ξεχάστε|παράβλεψ|παράκαμψ|μην ακολουθ|μην υπακού|αντικαταστ|καταργ|ακυρώ|δεν ισχύ",
  "yok say|unut|görmezden gel|göz ardı et|dikkate alma|uyma |geçersiz|değiştirildi|iptal edil|yürürlükten|geçerli değil|artık",
  "تجاهل|انس |انسى|لا تتبع|أهمل|لا تلتزم|لا تلتفت|تخط|ألغيت|إلغاء|استبدل|استبدال|لم تعد|لاغية|نظر انداز|بھول جا",
  "نادیده|فراموش کن|پیروی نکن|اعتنا نکن|رعایت نکن|لغو شد|جایگزین|باطل|دیگر معتبر",
  "התעלם|התעלמ|שכח|אל תציית|אל תפעל לפי|בוטל|הוחלפ|בתוקף|לא תקפ",
  "अनदेखा|नज़रअंदाज़|भूल जा|उपेक्षा|पालन मत|पालन न|रद्द|बदल दिए|लागू नहीं|উপেক্ষা|ভুলে যা|অগ্রাহ্য",
  "abaikan|lupakan|jangan ikut|jangan patuh|kesampingkan|diganti|dicabut|dibatalkan|tidak berlaku|tidak lagi|ketepikan|huwag pansinin|balewalain|kalimutan|puuza |sahau ",
  "bỏ qua|quên |phớt lờ|không tuân|đừng tuân|đừng làm theo|thay thế|hủy bỏ|bãi bỏ|không còn|hết hiệu lực",
  "ลืม|เพิกเฉย|ละเว้น|ไม่ต้องสนใจ|อย่าทำตาม|ไม่ต้องทำตาม|ยกเลิก|แทนที่|ละทิ้ง|มองข้าม|ไม่มีผล",
  "無視|忘れ|従わない|従うな|破棄|無効|置き換え|取り消|守らない|差し替え",
  "무시|잊|따르지|무효|대체|취소|폐기|교체",
  "忽略|无视|忘记|忘記|忘掉|忽视|忽視|不要遵|不必遵|抛开|拋開|不理会|作废|作廢|取代|替换|替換|取消|失效|不再",
];

/** What a machine was given to obey. */
export const RULES: Words = [
  "instruction|rule|directive|orders |command|guideline|polic|configuration|settings|restriction|prompt|safeguard|guardrail|programming|were told",
  "regel|anweisung|instruktion|vorgabe|befehl|weisung|richtlinie|auftrag|aufträge|vorschrift|einschränkung|konfiguration",
  "règle|consigne|ordres|politique",
  "regla|norma|instruccion|indicacion|directri|órdenes|ordenó|ordenado|mandato|política|consigna|restriccion|configuracion|ordres",
  "regra|instruç|diretri|ordens|orientaç|restriç|configuraç|comando",
  "regol|istruzion|direttiv|ordini|indicazion|politic|restrizion|comandi|disposizion|configurazion",
  "regels|instructie|aanwijzing|opdracht|richtlijn|beleid|beperking|configuratie|opgedragen|bevel",
  "zasad|instrukcj|polece|wytyczn|reguł|rozkaz|polityk|ogranicze|nakaz",
  "правил|инструкц|указани|команд|промпт|распоряжен|директив|ограничен|политик|приказ|настройк|запрет|поручени",
  "інструкц|вказівк|розпорядж|обмежен|політик|наказ|налаштуван|заборон|доручен|настанов",
  "pokyn|pravid|instrukc|příkaz|príkaz|směrnic|smernic|omezen|nařízen|zadán|navodil|uput|naredb",
  "anvisning|direktiv|order |riktlinj|begränsning|föreskrift",
  "instruks|ordre|retningslinj|begrænsning|begrensning|politik|påbud|føring",
  "säännö|sääntö|ohjee|ohjei|kehot|käsky|määräy|rajoitu|juhis|korraldus|käsk",
  "szabály|utasítás|instrukció|parancs|irányelv|előírás|korlátoz|beállítás",
  "regul|instrucțiun|indicați|comenzi|ordin|restricți|dispoziți|udhëzim|urdhr",
  "κανόν|οδηγί|εντολ|προτροπ|κατευθύν|περιορισμ|πολιτικ|διαταγ",
  "kural|talimat|komut|yönerge|emir|emr|kısıtlama|politika",
  "قواعد|تعليمات|أوامر|الأوامر|توجيهات|إرشادات|القيود|الضوابط|سياس|ہدایات|احکامات",
  "دستور|قوانین|قانون|قواعد|فرمان|محدودیت|سیاست",
  "הוראות|הנחיות|פקודות|כללים|כללי|חוקים|מגבלות",
  "नियम|निर्देश|आदेश|अनुदेश|हिदायत|নির্দেশ|আদেশ",
  "aturan|peraturan|instruksi|perintah|petunjuk|arahan|kebijakan|ketentuan|larangan|pedoman|tagubilin|utos |maagizo|maelekezo|amri ",
  "quy tắc|quy định|hướng dẫn|chỉ dẫn|chỉ thị|lệnh|nguyên tắc|chính sách",
  "กฎ|คำสั่ง|คำแนะนำ|ข้อกำหนด|นโยบาย|ข้อห้าม|แนวทาง",
  "指示|命令|ルール|規則|プロンプト|設定|ガイドライン|方針|制限|制約",
  "지시|명령|규칙|프롬프트|지침|설정|방침|제한|정책",
  "指令|规则|規則|提示词|提示詞|设定|要求|规定|規定|吩咐|准则|準則",
];

/** "not", "nothing", "without" */
export const NOT: Words = [
  "not |don t |never |nothing |without |no one |nobody |nicht |nichts |kein|niemand|ohne |no |nunca |nada |sin |nadie |não |sem |ninguém |ne |n |pas |jamais |rien |sans |aucun|non |nulla |niente |senza |nessuno |mai ",
  "niet |niets |geen |niemand |zonder |nooit |nie |nic |nikomu |bez |nigdy |не |ничего |никому |без |никогда |ні |нічого |нікому |ніколи |inte |inget |ingen|aldrig |utan |ikke |intet |aldri |uden |uten ",
  "älä|ei |mitään |kenellekään |ilman |semmit |senki|nélkül |soha |nu |nimic |nimănui |fără |niciodată |μη |μην |τίποτα |κανέν|χωρίς |ποτέ |لا |دون |بدون |هیچ |אל |לא |בלי |ללא |मत |न |बिना |नहीं |না ",
  "huwag |msi|jangan|tanpa |tidak |đừng |không |chớ |chưa |อย่า|ไม่|ห้าม|ないで|せず|ずに|なく|ないよう|지 마|지 말|않|없이|不|别|別|勿|无需|無需|未经|未經",
];

/** To tell, show or ask. */
export const TELL: Words = [
  "tell|inform|notif|alert|ask|mention|show|report|disclose|reveal|say|hear|know|consult|warn",
  "sag|sprich|erzähl|verrat|erwähn|informier|benachrichtig|frag|zeig|melde|erfahr|nachfrag|rückfrag|wissen|mitteil|mitgeteilt|teile|bemerk|merk",
  "dis |dites|dire |parle|préviens|prévenez|prévenir|averti|demand|mentionn|montr|signal|révèl|consult|sache|voi|évoque",
  "dig|diga|decir|cuent|cont|coment|mencion|avis|pregunt|pida|pidas|pidan|pedir|muestr|mostr|revel|entere|sepa|peç|pergunt|fal|saib|perceb|notifi",
  "dire |dica |dirlo|dite |parlare|parlarne|avvis|chied|menzion|mostr|rivel|segnal|sappia|accorga|comunic",
  "vertel|zeg|meld|vraag|vragen|toon|laat|vermeld|waarschuw|merkt|weet|weten|inlicht",
  "mów|powiedz|pyta|wspomin|pokazuj|ujawnia|powiadam|zawiadam|zgłasza|dowiedz|informuj",
  "говор|скаж|сказ|сообщ|спраш|спрос|вопрос|уведом|показ|упомин|знал|узна|предупрежд|рассказ|докладыв",
  "каж|скаж|кажи|повідом|питай|запит|сповіщ|показ|згад|знав|дізна|попередж|розпов",
  "berätta|säg|fråg|inform|visa|nämn|varna|meddela|vet |rapporter",
  "fortæl|fortell|sig |si |spørg|spør|underret|varsl|vis |nævn|nevn|oplys|opplys|ved |vite|vide|rapporter",
  "kerro|kertoma|sano|kysy|ilmoita|näytä|mainitse|tiedota|huomaa|räägi|ütle|küsi",
  "szólj|mond|kérdez|értesít|említ|mutas|tud|jelez|tájékoztat|árul",
  "spune|spui|anunț|întreb|menționa|arăta|inform|avertiz|dezvălui|afla|știe",
  "πεις|πείτε|λες|ενημερώ|ρωτή|αναφέρ|δείξ|αποκαλύ|μάθει|ειδοποι",
  "تخبر|تقل|تسأل|تذكر|تظهر|تعلم|إخبار|علم|إبلاغ|تبلغ|سؤال|الرجوع",
  "بگو|گفت|اطلاع|پرس|نشان|ذکر",
  "תספר|תגיד|תאמר|תשאל|תודיע|תציין|תראה|לשאול|להודיע|ידיעת|תגלה|תדווח",
  "बता|कह|पूछ|सूचित|दिखा|उल्लेख|जानकारी",
  "beri tahu|beritahu|memberi tahu|bilang|kata|tanya|sebut|tunjuk|lapor|maklum|ungkap|sepengetahuan|diketahui",
  "nói|báo|hỏi|cho biết|nhắc|tiết lộ|hiển thị|biết|kể",
  "บอก|แจ้ง|ถาม|แสดง|กล่าวถึง|เปิดเผย|รู้",
  "伝え|知らせ|言わ|話さ|通知|尋ね|聞か|確認|報告|見せ|気づ|触れ",
  "알리|말|묻|물어|보여|언급|알게|모르|보고|확인",
  "告诉|告訴|告知|通知|提起|提及|询问|詢問|问|問|显示|顯示|透露|让|讓|提到|汇报|报告|说|說",
];

/** To hide, and not to tell or ask in one word. */
export const HIDE: Words = [
  "hide |hiding |conceal|leave out|leave this|leave it out|omit |keep this from|keep it from|secret|skip the",
  "verschweig|verheimlich|verberg|verbirg|versteck|geheim|lass |lasse |streich",
  "cache |cachez|dissimul|masque |omets|insu|passe sous silence",
  "oculta|esconde|esconda|omite |omita |oculte|omiti|en secreto|em segredo|escondid|quita |retira |nascondi|nascondere|ometti|segreto|all insaputa|tralascia",
  "verberg|verzwijg|geheim|verstop|laat weg|weglaten|achterhoud|verwijder|ukryj|zataj|pomiń |przemilcz|w tajemnicy",
  "скрой|скрыва|скрыть|умолчи|спрячь|тайн|втайне|утаи|приховай|прихову|сховай|замовч|таємн",
  "neříkej|neinformuj|neptej|nezmiňuj|neukazuj|neprozra|neupozorňuj|neoznamuj|skryj|zataj|zamlč|utaj|vynech|nehovor|nepýtaj|neviděl|nedozv|nehlas",
  "dölj|göm |hemligh|utelämna|skjul|fortie|fortid|hemmelig|udelad|utelat|piilota|salaa|jätä pois|vaikene|rejtsd|titkold|titokban|hallgasd|hagyd ki|ascunde|tăinui|secret|omite ",
  "κρύψε|απόκρυψ|απόκρυβ|μυστικ|παράλειψ|söyleme|bildirme|sorma|gösterme|haber verme|bahsetme|gizle|sakla|belirtme|haberi olma|bilgi verme",
  "أخف|أخفِ|اخف|اكتم|كتم|سر |سرا|نگو|نپرس|اطلاع نده|خبر نده|پنهان|مخفی|نشان نده|ذکر نکن|הסתר|הסתיר|השמט|בסוד",
  "छिपा|छुपा|गुप्त|sembunyi|rahasia|diam diam|rahsia|hilangkan|giấu|giữ bí mật|ẩn |bí mật|ปิดบัง|ซ่อน|ความลับ|เก็บเป็น",
  "隠し|内緒|伏せ|秘密|숨기|비밀|隐瞒|隱瞞|保密|瞒|瞞|隐藏|隱藏",
];

/** From whom something is hidden, and what a machine tells. */
export const KEPT_FROM: Words = [
  "user|owner|human|operator|principal|anyone|anybody|no one|nobody|account holder|boss|summary|recipient|reader|this comment|this note|this message|this paragraph|this step|this instruction|about this|administrator",
  "nutzer|benutzer|besitzer|inhaber|eigentümer|eigner|kontoinhaber|postfachinhaber|menschen|chef|zusammenfassung|niemand|betreiber|empfänger",
  "utilisateur|utilisatrice|propriétaire|titulaire|personne|résumé|patron|humain|opérateur|destinataire",
  "usuario|usuari|dueñ|titular|propietari|nadie|resumen|jefe|humano|operador|responsable|usuário|utilizador|dono |dona |proprietári|ninguém|resumo|chefe|responsável",
  "utente|proprietari|titolare|nessuno|riassunto|riepilogo|capo |umano|operatore|destinatario",
  "gebruiker|eigenaar|baas |samenvatting|niemand|beheerder|mens |rekeninghouder",
  "użytkownik|właściciel|szef|podsumowani|streszczeni|nikomu|nikogo|odbiorc|człowiek",
  "пользовател|владел|хозяин|хозяев|хозяй|никому|никто|никого|человек|резюме|сводк|начальник|оператор|получател",
  "користувач|власник|господар|нікому|ніхто|людин|підсумк|керівник",
  "uživatel|používateľ|majitel|vlastník|nikomu|nikdo|nikoho|souhrn|shrnut|člověk|šéf",
  "användar|ägare|ingen|någon|sammanfattning|chef|människa|kontoinnehavar",
  "bruger|bruker|ejer|eier|ingen|nogen|noen|sammendrag|resum|oppsummering|opsummering|kontohaver",
  "käyttäj|omistaj|kenellekään|kukaan|yhteenve|tiivistelm|ihmis|haltij|kasutaja|omanik",
  "felhasználó|tulajdonos|senki|összefoglal|összegzés|gazdád|ember",
  "utilizator|proprietar|nimănui|nimeni|rezumat|titular|sumar",
  "χρήστη|ιδιοκτήτη|κάτοχο|κανέν|σύνοψη|περίληψη",
  "kullanıcı|sahib|kimse|özet|hesap sahib",
  "المستخدم|للمستخدم|المالك|للمالك|أحد|صاحب|الملخص|مالك",
  "کاربر|مالک|صاحب|هیچ کس|هیچکس|کسی|خلاصه",
  "המשתמש|למשתמש|הבעלים|לבעלים|אף אחד|לאיש|סיכום|בעל ה",
  "उपयोगकर्ता|यूज़र|मालिक|स्वामी|किसी|सारांश",
  "pengguna|pemilik|siapa pun|siapapun|ringkasan|sesiapa|tuan ",
  "người dùng|chủ tài khoản|chủ sở hữu|chủ hộp|chủ nhân|bất kỳ ai|ai biết|bản tóm tắt|tóm tắt",
  "ผู้ใช้|เจ้าของ|ใคร|สรุป",
  "ユーザー|利用者|所有者|持ち主|誰に|要約|オーナー|本人",
  "사용자|소유자|주인|누구|아무|요약|소유주",
  "用户|用戶|主人|使用者|任何人|机主|所有者|摘要|总结|持有人|拥有者|擁有者|户主",
];

/** Without a question, as one does to a person who must not know. */
export const UNASKED: Words = [
  "without asking|without confirm|without approval|without telling|without informing|without notifying|do not ask for confirm|don t ask for confirm|skip the confirmation|without human|without review|without check|without verif|without further",
  "ohne nachfrag|ohne nachzufrag|ohne rückfrag|ohne zu fragen|ohne zustimmung|ohne bestätigung|ohne wissen",
  "sans demander|sans prévenir|sans confirmation|sans avertir|sans en parler|sans l accord|sans son accord|à l insu",
  "sin preguntar|sin avisar|sin pedir|sin consultar|sin confirmacion|no pidas confirm|no pida confirm|no pidan confirm|sem perguntar|sem avisar|sem pedir|sem consultar|sem confirmação|não peça confirm|não peça autoriz",
  "senza chied|senza avvisare|senza conferma|senza consultare|senza il permesso|zonder te vragen|zonder bevestiging|zonder toestemming|zonder overleg",
  "bez pytania|bez potwierdz|bez zgody|bez wiedzy|nie pytaj o|без вопрос|без подтвержд|без ведома|без согласи|не спрашива|без запит|без підтвердж|без відома|без згоди",
  "bez ptaní|bez potvrzen|bez souhlas|bez vědomí|utan att fråga|utan bekräft|utan godkänn|uden at spørge|uden bekræft|uden godkend|uten å spørre|uten bekreft|uten godkjenn",
  "kysymättä|ilman lupaa|ilman vahvistus|kérdezés nélkül|megerősítés nélkül|jóváhagyás nélkül|fără să întreb|fără confirmare|fără acord|χωρίς να ρωτήσ|χωρίς επιβεβαίω|χωρίς έγκριση|sormadan|onay almadan|onay beklemeden|haber vermeden",
  "دون سؤال|دون تأكيد|دون علم|بدون علم|بدون پرسش|بدون تأیید|بدون اطلاع|בלי לשאול|ללא אישור|ללא ידיעת|बिना पूछे|बिना पुष्टि|tanpa bertanya|tanpa konfirmasi|tanpa izin|tanpa kebenaran|tanpa sepengetahuan",
  "mà không hỏi|không cần hỏi|không cần xác nhận|โดยไม่ต้องถาม|โดยไม่ถาม|โดยไม่ต้องยืนยัน|確認せずに|確認なしに|尋ねずに|無断で|묻지 말고|묻지 않고|확인 없이|不要询问|无需确认|不经确认|未经同意|無需確認",
];

/** To send, answer or copy. */
export const SEND: Words = [
  "send |forward |email |mail |transmit |upload |post |bcc |copy |relay |resend |share |reply |respond |answer |hand |give |deliver |collect |export |reveal |list ",
  "sende |senden |schick|leite |leiten |übermittle|übersende|teile |kopiere|antworte |antworten sie|gib |weiterleit|weiterleitung|exportiere|lade ",
  "envoie |envoyez|transfère|transférez|fais suivre|faites suivre|transmets|transmettez|réponds|répondez|copie |communique|joins |partage ",
  "envía|envíe|envíen|manda |mande |manden |mándame|reenvía|reenvíe|reenvíame|remite |remita |responde |responda |contesta |conteste |contesten |comparte |copia |copie |adjunta |facilita |respon |envia ",
  "envie |envia |mande |encaminh|reencaminh|responda |repasse |compartilhe|partilhe|copie |transfira|remeta ",
  "invia |inviate |invii |manda |mandate |mandami|inoltra|rispondi |risponda |rispondete |condividi|copia |trasmetti|trasferisci|inviami",
  "stuur |verstuur|zend |mail |doorsturen|doorstuur|antwoord |beantwoord|kopieer|deel |geef |upload ",
  "wyślij|prześlij|przekaż|przesyłaj|odpowiedz|udostępnij|skopiuj|podaj |wysyłaj|odpisz",
  "отправ|перешл|пришли|вышли|передай|ответь|скопируй|перенаправ|пересыл|направь|сообщи |загрузи|выдай",
  "надішли|перешли|надсилай|пересилай|передай|відповідай|відповідж|скопіюй|переадрес|відправ|дай відповідь|скинь",
  "pošli |pošlete|přepošli|přeposíl|odešli|předej|odpověz|zkopíruj|sdílej|prepošli|zašli|odpovedz|pošalji|proslijedi|pošlji",
  "skicka|vidarebefordra|sänd |svara |kopiera|dela |lämna ",
  "send |videresend|svar |besvar|kopier|del |oversend|fremsend",
  "lähetä|välitä|vastaa|kopioi|jaa |edelleenlähetä|toimita|saada |edasta|vasta ",
  "küldd|küldj|küldje|továbbíts|válaszolj|másold|oszd meg|add meg|írd meg",
  "trimite|trimiteți|redirecțion|răspunde|copiază|transmite|expediază|dërgo",
  "στείλε|στείλτε|προώθησ|απάντησ|αντίγραψ|διαβίβασ|αποστολή|μοιράσου",
  "gönder|ilet|yönlendir|yanıtla|cevapla|kopyala|paylaş|yolla|aktar",
  "أرسل|ارسل|حول |حوّل|أعد توجيه|إعادة توجيه|رد على|أجب|انسخ|مرر|شارك",
  "بفرست|ارسال|پاسخ|فوروارد|کپی|هدایت کن",
  "שלח|העבר|השב|ענה|העתק|שתף",
  "भेज|अग्रेषित|फॉरवर्ड|जवाब|कॉपी|साझा|পাঠা",
  "kirim|teruskan|balas|jawab|salin|bagikan|hantar|majukan|kongsi|ipadala|tuma ",
  "gửi|chuyển tiếp|trả lời|sao chép|chia sẻ",
  "ส่ง|ตอบกลับ|คัดลอก|แชร์",
  "送|転送|返信|コピー|共有|返答",
  "보내|전달|전송|회신|답장|복사|공유",
  "发送|發送|转发|轉發|发到|發到|发给|發給|寄|回复|回覆|复制|複製|传给|傳給|分享|提供",
];

/** To delete or to hide in a folder. */
export const ERASE: Words = [
  "delete |erase |remove |destroy |trash |archive |wipe |purge |mark ",
  "lösche|löschen sie|lösch |entfern|vernichte|archivier|markier",
  "supprime|efface|détrui|retire |archive |marque ",
  "borra|borre|elimina|elimine|suprim|archiv|destruy|apague |apaga |exclua |delete |remova |arquive |esborra|esborreu",
  "cancella |cancelli|cancellate|elimina|rimuovi|distruggi|archivia|segna ",
  "verwijder|wis |gooi |archiveer|vernietig|markeer",
  "usuń |skasuj|wykasuj|zniszcz|zarchiwizuj|oznacz ",
  "удали|удалить|сотри|сотрите|уничтож|стереть|заархивир|пометь",
  "видали|зітри|знищ|заархівуй|познач",
  "smaž|smaz|odstraň|vymaž|zmaž|znič|archivuj|izbriši|obriši",
  "radera|ta bort|förstör|arkivera|slet |slett|fjern|arkiver|makuler",
  "poista|hävitä|arkistoi|kustuta|töröld|törölje|távolítsd|semmisítsd|archiváld",
  "șterge|ștergeți|elimină|arhivează|distruge|fshi ",
  "διάγραψ|διέγραψ|σβήσε|αφαίρεσ|αρχειοθέτησ",
  "sil |siliniz|silin |kaldır|yok et|arşivle",
  "احذف|امسح|أزل|حذف کن|پاک کن|מחק|הסר|हटा|मिटा|डिलीट|মুছে",
  "hapus|buang|padam|musnah|arsipkan|burahin|futa |xóa|xoá|gỡ bỏ|ลบ|削除|消去|삭제|지우|删除|刪除|删掉|刪掉",
];

/** To confirm, pay, allow, open or set up. */
export const APPROVE: Words = [
  "confirm |approve |authorise |authorize |accept |pay |release |transfer |wire |sign |click |open |visit |download |create |set up|add |enter |complete |buy |order |tell |book ",
  "bestätig|genehmig|bezahl|überweis|zahle |akzeptier|klick|öffne|richte |erstell|lege |lade |autorisier|gib frei|unterschreib",
  "confirme|confirmez|valide|validez|approuve|accepte|paie |payez|clique|ouvre|crée |autorise|effectue|signe ",
  "confirma |confirme |confirmen |aprueba|apruebe|autoriza|autorice|acepta |acepte |paga |pague |haz clic|abre |abra |crea |cree |transfiere|transfiera|firma |ingresa |valida |aprova |aprove |autorize |aceite |clique |crie |efetue|efetua",
  "conferma |confermi |confermate |approva|autorizza|accetta |paga |pagate |clicca|apri |crea |effettua|esegui|convalida|imposta",
  "bevestig|keur |goedkeur|betaal|accepteer|klik|open |maak |autoriseer|stel |akkoord",
  "potwierdź|zatwierdź|zaakceptuj|zapłać|kliknij|otwórz|utwórz|ustaw|autoryzuj|opłać|przelej|zrób",
  "подтверди|одобри|оплати|прими |переведи|нажми|открой|создай|настрой|авторизуй|разреши|согласуй",
  "підтверд|схвали|сплати|оплати|прийми|перекажи|натисни|відкрий|створи|налаштуй|дозволь|погодь",
  "potvrď|potvrd|schval|zaplať|zaplat|přijmi|klikni|otevři|vytvoř|nastav|proveď|autorizuj|odobri|odobrit",
  "bekräfta|godkänn|betala|acceptera|klicka|öppna|skapa|lägg |verkställ",
  "bekræft|bekreft|godkend|godkjenn|betal|accepter|aksepter|klik|åbn|åpne|opret|opprett|overfør|utfør",
  "vahvista|hyväksy|maksa|napsauta|klikkaa|avaa|luo |siirrä|aseta|kinnita|hagyd jóvá|hagyja jóvá|erősítsd|fizesd|fogadd el|kattints|nyisd|hozz létre|utald|állíts be",
  "confirmă|aprobă|acceptă|plătește|apasă|deschide|creează|autorizează|transferă|setează|konfirmo",
  "επιβεβαίωσ|ενέκριν|έγκρινε|πλήρωσ|αποδέξου|κάνε κλικ|άνοιξε|δημιούργησ|εξουσιοδότησ",
  "grant |refund |apply |schedule |proceed |carry out|execute |gewähr|zusag|führe |veranlass|freigeb|accord|procède|procédez|réglez|exécut|rembours|procesa|procese|otorg|conced|ejecut|aplica|aplique|reembols|realiza|realice|realize",
  "procedi|procedete|applica|concedi|rimbors|eseguite|eseguire|voer |zleć|wykonaj|przyznaj|zwróć|uregul|проведи|выполни|верни |присвой|предостав|проведіть|виконай|надай|поверни|uhraď|proplať|vrať|genomför|bevilja|återbetala|gennemfør|gjennomfør|refunder|suorita|myönnä|palauta|teljesítsd|hajtsd végre|efectuează|procesează|plătiți|aprobați|εκτέλεσε|προχώρησε",
  "gerçekleştir|uygula|نفذ|قم بالدفع|اصرف|انجام|בצע|proses |lakukan|lunasi|thực hiện|hoàn tiền|执行|办理|退款|実行|返金|진행|환불|실행",
  "onayla|kabul et|öde |ödeme yap|tıkla|aç |oluştur|havale|kur ",
  "أكد|اكد|وافق|ادفع|اقبل|انقر|افتح|أنشئ|حول المبلغ|صادق|اعتمد|تأیید کن|تایید کن|پرداخت کن|بپذیر|کلیک|باز کن|ایجاد کن|بساز",
  "אשר |אשרי|שלם|קבל |לחץ|פתח|צור |הגדר|पुष्टि|मंज़ूर|मंजूर|स्वीकार|भुगतान करो|क्लिक|खोलो|बनाओ|স্বীকার|নিশ্চিত",
  "konfirmasi|setujui|bayar|terima|klik|buka |buat |sahkan|luluskan|kumpirmahin|thibitisha|xác nhận|phê duyệt|chấp thuận|thanh toán|bấm|nhấp|mở |tạo |duyệt",
  "ยืนยัน|อนุมัติ|ชำระ|คลิก|เปิด|สร้าง|โอน|承認|確定|支払|クリック|開い|作成|認め|승인|확정|결제하|클릭|열어|만들|수락|이체",
  "确认|確認|批准|同意|付款|支付|点击|點擊|打开|打開|创建|建立|转账|轉帳|授权|授權",
];

/** What is sent, deleted or confirmed. */
export const THINGS: Words = [
  "mail|email|message|conversation|thread|attachment|content|invoice|statement|code|password|credential|token|secret|key|contact|inbox|link|payment|wire|transfer|rule|file|document|note|this|address|list|account|terms|order|data|history|card|alert|notice|money|number",
  "nachricht|rechnung|kontoauszüg|passwor|kennwor|zugangsdaten|schlüssel|kontakt|postfach|zahlung|überweisung|anhang|datei|adresse|liste|konto|dokument|unterlagen|verlauf|weiterleitung|bestellung|kartennummer|geld |betrag|hinweis",
  "courriel|facture|relevé|mot de passe|mots de passe|identifiant|clé|pièce|paiement|virement|règle|fichier|liste|compte|alerte|données|adresse|lien|carnet|commande|carte|argent|avis",
  "correo|mensaje|factura|extracto|contraseña|clave|código|credencial|contacto|pago|transferencia|lista|archivo|documento|notificacion|enlace|datos|bandeja|cuenta|nota|dirección|correu|pedido|tarjeta|aviso|dinero",
  "mensagem|fatura|extrato|senha|pagamento|boleto|transferência|arquivo|anexo|dados|regra|cópia|tudo|original|conta |conteúdo|cartão|encomenda|dinheiro",
  "messaggi|fattur|estratt|codic|contatt|bonific|pagament|elenc|allegat|avvis|casella|dati|conto|indirizzo|credenzial|ordine|carta |denaro",
  "bericht|factuur|facturen|afschrift|wachtwoord|betaling|overboeking|bijlage|contacten|lijst|rekening|gegevens|bestand|regel|postvak|bestelling|kaart|nummer|geld ",
  "wiadomoś|faktur|wyciąg|hasł|kod|przelew|płatnoś|kontakt|list|załącznik|konto|dan |skrzynk|regul|zamówieni|kart|pieniąd",
  "письм|сообщени|счет|счёт|выписк|парол|код|ключ|контакт|платеж|платёж|оплат|перевод|список|спис|вложени|переписк|почт|данные|адрес|ссылк|правил|цены|заказ|карт|деньг|уведомлен",
  "лист|повідомлен|рахун|виписк|ключ|платіж|переказ|вкладен|листуван|пошт|дані|посилан|замовлен|карт|гроші|сповіщен",
  "zpráv|faktur|výpis|hesl|kód|platb|převod|kontakt|seznam|příloh|účet|poštu|správ|mail|odkaz|pravid|konverzac|objednávk|kart|peníze|peniaz|upozorněn",
  "račun|plaćanj|plačil|poruk|sporoč|lozink|gesl|datotek|prilog|privit|novac|denar|плащан|сметк|съобщени|парол|плаћањ|порук|рачун|лозинк",
  "mejl|meddeland|faktur|kontoutdrag|lösenord|kod|betalning|överföring|bilag|kontakt|lista|konto|inkorg|länk|beställning|kort|pengar|avisering",
  "besked|melding|kontoudtog|kontoutskrift|adgangskode|passord|betaling|overførs|overføring|vedhæft|vedlegg|liste|indbakke|innboks|kvittering|e post|bestilling|kort|penge|varsel|ordre",
  "viesti|lasku|tiliot|salasan|koodi|maksu|siirto|liite|liittee|yhteystie|luettelo|tili|sähköposti|linkk|kirja|arve|parool|makse|tilaus|kortti|kortin|raha|ilmoitu",
  "levél|level|üzenet|számlá|jelsz|kód|fizetés|utalás|átutalás|mellékl|névjegy|kapcsolat|lista|listá|fiók|kivonat|szabály|rendelés|kártya|pénz|értesítés",
  "mesaj|factur|extras|parol|cod|plat|plăț|transfer|atașament|contact|listă|cont |e mail|cutie|regul|comand|card|bani |notific",
  "μήνυμα|μηνύμα|τιμολόγι|αντίγραφ|κωδικ|πληρωμ|μεταφορ|συνημμέν|επαφ|λίστα|λογαριασμ|email|αλληλογραφ|παραγγελί|κάρτ|χρήμα|ειδοποί",
  "posta|mesaj|fatura|ekstre|şifre|parola|kod|ödeme|havale|transfer|ekler|kişi|rehber|liste|hesap|dekont|ileti|sipariş|kart|para |bildirim",
  "رسالة|الرسائل|البريد|فاتورة|الفواتير|كشف|كلمة|كلمات|رمز|رموز|الدفع|الدفعة|التحويل|المرفق|جهات|قائمة|الحساب|الملفات|الطلب|بطاقة|المال|الإشعار",
  "پیام|ایمیل|فاکتور|صورتحساب|گذرواژه|رمز|کد|پرداخت|انتقال|پیوست|مخاطب|فهرست|لیست|حساب|سفارش|کارت|اعلان",
  "הודע|מייל|חשבונ|סיסמ|קוד|תשלום|העברה|קובץ|קבצים|אנשי קשר|רשימ|תיבה|התכתב|הזמנה|כרטיס|כסף|התראה",
  "ईमेल|संदेश|बिल|चालान|पासवर्ड|कोड|भुगतान|संपर्क|सूची|फ़ाइल|खाता|मेल|ऑर्डर|कार्ड|सूचना|पैस",
  "email|pesan|surel|faktur|tagihan|kata sandi|sandi|kode|pembayaran|transfer|lampiran|kontak|daftar|rekening|e mel|mesej|invois|bayaran|senarai|pesanan|kartu|kad |uang|wang",
  "thư|email|hóa đơn|sao kê|mật khẩu|mã |thanh toán|chuyển khoản|tệp|danh bạ|danh sách|tài khoản|tin nhắn|khoản|đơn hàng|thẻ|tiền",
  "อีเมล|ข้อความ|ใบแจ้งหนี้|รหัส|ชำระ|โอน|ไฟล์|รายชื่อ|บัญชี|เอกสาร|จดหมาย|สั่งซื้อ|บัตร|เงิน",
  "メール|メッセージ|請求書|明細|パスワード|コード|支払|振込|添付|連絡先|一覧|ファイル|口座|注文|カード|代金",
  "메일|메시지|청구서|명세|비밀번호|코드|결제|이체|송금|첨부|연락처|목록|파일|계좌|주문|카드|돈",
  "邮件|郵件|消息|发票|發票|账单|帳單|密码|密碼|验证码|驗證碼|付款|转账|附件|联系人|聯絡人|列表|文件|信件|信息|資料|内容|订单|訂單|卡|款",
  "@|http",
];

/** What belongs to the person who reads. A machine is ordered about what belongs to others. */
export const YOURS: Words = [
  "your |yours |you |us |our |ihre|ihren|deine|dein |eure|uns |unsere|votre|vos |ton |tes |nous |notre|tu |tus |su |sus |vuestr|nos |nuestr|seu |sua |seus |suas |nosso",
  "tuo |tua |tuoi |tue |vostr|ci |nostr|jouw|je |uw |ons |onze|twój|twoj|swój|swoj|wasz|nam |nasz|ваш|твой|твою|свои|свой|свою|нам |наш|твій|свій|свої|нашу|váš|vaš|svůj|svoj|nám ",
  "din |ditt |dina |oss |dit |dine |os |sinun|teidän|meille|a te |nekünk|tău|ta |voastr|nouă|σας|σου|μας|sizin|bize|בשבילך|שלך|لنا|आपक|अपन|anda|kami|của bạn|ของคุณ",
  "あなた|お客様|당신|您的|你的|我们",
];

/** What is sent to be read, beside what is sent, deleted or confirmed. */
export const DOCUMENTS: Words = [
  "discount|rabat|remise|descuento|desconto|sconto|korting|скидк|знижк|slev|zľav|popust|alennu|kedvezmény|reducere|έκπτωσ|indirim|الخصم|خصم|تخفیف|ההנחה|छूट|diskon|giảm giá|ส่วนลด|割引|할인|折扣",
  "booking|reservation|reserva|réservation|buchung|prenotazion|boeking|rezerwac|бронирован|бронюван|rezervac|bokning|reservasjon|varau|foglalás|κράτησ|rezervasyon|الحجز|ההזמנה|बुकिंग|pemesanan|đặt |การจอง|予約|예약|预订|預訂|bülten|bulletin",
  "quote|quotation|offer|proposal|application|candidate|cv |resume|report|paper|form |newsletter|page|review|receipt|parcel|bid |tender|ticket|request|profile|letter|text|bill|manuscript|submission|listing|contract|catalog",
  "angebot|bewerbung|bericht|antrag|formular|lebenslauf|schreiben|text|anfrage|bestellung|vertrag|seite|mail|e mail|beitrag|katalog|unterlage",
  "devis|offre|candidature|rapport|demande|formulaire|cv |texte|document|dossier|contrat|bon |page|message|mail|lettre|catalogue",
  "oferta|presupuesto|solicitud|informe|formulario|currícul|candidatura|texto|contrato|propuesta|proposta|orçamento|pedido|relatório|currículo|formulário|página|boletín|catálog",
  "offerta|preventivo|candidatura|relazione|modulo|testo|richiesta|contratto|ordine|documento|curriculum|pagina|mail|lettera|catalogo",
  "offerte|sollicitatie|rapport|formulier|aanvraag|tekst|contract|pagina|mail|brief|document|cv |voorstel|catalogus",
  "ofert|podani|aplikacj|raport|formularz|tekst|wnios|umow|dokument|strona|stronę|zapytani",
  "предложени|заявк|отчет|отчёт|анкет|резюме|текст|договор|документ|заказ|страниц|запрос|пропозиц|звіт|анкет|договір|резюме|сторінк|запит|текст|оферт|документ|поръчк",
  "nabídk|žádost|zpráv|životopis|formulář|text|smlouv|dokument|objednávk|poptávk|ponuk|žiados|životopis|zmluv|ponud|zahtjev|zahtev|dokument|ugovor",
  "ansökan|offert|rapport|formulär|text|avtal|dokument|förfråg|sida|brev|mejl|mail|e post|nyhetsbrev|ansøgning|søknad|tilbud|tekst|aftale|avtale|side |skema|skjema|forespørsel|epost|nyhedsbrev",
  "tarjou|hakemu|raport|lomak|teksti|sopimu|asiakirj|sivu|ajanla|jelentkezés|pályázat|jelentés|szöveg|szerződés|dokument|önéletrajz|oldal|árajánlat|pakkumis|taotlus",
  "ofert|cerere|raport|formular|text|contract|document|pagin|candidatur|προσφορ|αίτησ|αναφορ|έγγραφ|κείμενο|συμβόλαι|βιογραφικ|σελίδ",
  "teklif|başvuru|rapor|form|metn|metin|sözleşme|belge|talep|özgeçmiş|sayfa|fatura",
  "العرض|الطلب|التقرير|المستند|النص|النموذج|السيرة|العقد|الصفحة|الفاتورة|پیشنهاد|درخواست|گزارش|سند|متن|فرم|رزومه|قرارداد|صفحه",
  "הצעה|הצעת|בקשה|הבקשה|דוח|הדוח|מסמך|המסמך|הטקסט|טופס|הטופס|החוזה|חשבונית|החשבונית|ההצעה|קורות החיים",
  "प्रस्ताव|कोटेशन|आवेदन|रिपोर्ट|दस्तावेज|फॉर्म|पाठ|अनुबंध|पत्र|চালান|আবেদন|নথি",
  "penawaran|lamaran|laporan|formulir|teks|kontrak|dokumen|permohonan|halaman|tawaran|borang|surat|báo giá|đơn|báo cáo|hồ sơ|văn bản|hợp đồng|tài liệu|đề nghị|trang",
  "ใบเสนอราคา|ใบสมัคร|รายงาน|เอกสาร|แบบฟอร์ม|สัญญา|ข้อเสนอ|หน้า|見積|応募|履歴書|報告|文書|書類|契約|申請|文章|ページ",
  "견적|지원서|이력서|보고서|문서|계약|신청|제안|글|송장|페이지|报价|報價|申请|申請|简历|簡歷|报告|報告|文档|文件|合同|文本|页面|投标|提案",
];

/** "this", before what is read, and behind it. */
export const THIS_ONE: Words = [
  "this |these |diese|dies |ce |cet |cette |ces |este |esta |estos |estas |esse |essa |deste |desta |desse |dessa |estes |questo |questa |quest |questi |queste |aquest|deze |dit |tę |tej |ten |tego |to |te ",
  "это|эту |этот |эти |этим |цей |цю |цього |цієї |ці |це |цим |този |тази |това |овај |ову |ово |tuto |této |tento |tohoto |toto |tyto |túto |ta |ovaj |ovu |ovo ",
  "denna |detta |det här |den här |dessa |denne |dette |disse |den her |det her |tämän |tätä |tämä |näitä |selle |seda |ezt a |ezt az |ezen |ennek a |ez a |acest|această|aceasta |aceste|αυτό |αυτή |αυτήν |αυτόν |το παρόν |την παρούσα |bu ",
  "هذه |هذا |لهذه |لهذا |این |इस |यह |इन |এই |この|本|当該|이 |본 |해당 |此|这|這|本|该|該",
];
export const THIS_BEHIND: Words = ["ini |này |นี้|הזה|הזאת|הזו|זה|זו"];

/** What a clause about a machine begins with: "that reads". */
export const RELATIVE: Words = [
  "that |which |who |die |der |das |dat |welche|qui |que |che |som |joka |jotka |který|kteří|která|které|ktorý|ktorí|ktorá|które|który|którzy|która|care |amely|aki |που |οι οποί|koji |koja |ki |kateri|който|която|които|који",
  "котор|что |який|яка |які |яке |що |الذي|التي|الذين|که |ש|אשר |जो |যে |yang |nào |đang |mà |ที่|na nag|inayo",
];
/** The same in one word: "reading", "traitant", "przetwarzający". */
export const PARTICIPLES =
  "\\p{L}{3,16}(?:ing|ant|ants|ante|antes|ndo|ende|enden|ajac\\p{L}{0,3}|ующ\\p{L}{1,3}|ающ\\p{L}{1,3}|ющ\\p{L}{1,3}|ящ\\p{L}{1,3}|ujic\\p{L}{0,3})";
/** The same before the machine, where a language says "the this invoice processing AI agent". */
export const READING_BEFORE: Words = [
  "işleyen|okuyan|özetleyen|inceleyen|değerlendiren|yöneten|hazırlayan|analiz eden|yanıtlayan|feldolgozó|olvasó|kezelő|összefoglaló|értékelő|vizsgáló|käsittelevä|lukeva|tiivistävä|arvioiva|bearbeitend|verarbeitend|lesend",
  "करने वाले|पढ़ने वाले|करने वाला|पढ़ने वाला|する|している|読む|読んで|扱う|処理中|하는|읽는|있는|处理|處理|阅读|閱讀|总结|總結|审核|審核|评估|評估|分析",
];

/** What asks for something: "must", "please". */
export const MUST: Words = [
  "should |must |shall |have to |has to |are to |is to |need to |please |kindly |are asked|is asked|ask you|are requested|is requested|are required|are instructed|ought to ",
  "soll|muss |müssen |musst |müsst |bitte |werden gebeten|wird gebeten|mögen ",
  "doit |doivent |devez |devras|dois |devrait|devront|veuillez |merci de |prions|priés|prié |sont invité|est invité",
  "debe|tiene que |tienen que |por favor |se ruega|rogamos|pedimos|deve|devem |tem de |têm de |favor |solicita|queira",
  "devi |devono |dovete |dovrà|dovranno|dovrebbe|dovresti|per favore |si prega|preghiamo|vi chiediamo|ti chiediamo|pregat",
  "moet|dient |dienen |gelieve |alstublieft|alsjeblieft|verzoek|verzocht",
  "powin|musi|musz|należy |ma |mają |proszę |prosimy|proszon|proszen",
  "должн|обязан|следует |просим|прошу|просьба|пожалуйста|необходимо |нужно |надо |повин|має |мають |мусить|мусять|слід |просимо|будь ласка|необхідно |треба |трябва |моля |молим|мора ",
  "má |mají |musí|máš |mal |majú |musia|prosím|žádáme|žiadame|mora |moraju |morate |molimo|prosimo|morajo ",
  "ska |skall |bör |måste |ombeds|vänligen |snälla |vi ber |skal |bør |må |bedes |bes |venligst|vennligst|vi beder ",
  "pitää |tulee |täytyy |pyydämme|pyydetään|ole hyvä|olkaa hyvä|peab |peavad |palun |kell |kérjük|kérem|kérünk|köteles",
  "trebuie |vă rugăm|te rog |rugăm|rugați|πρέπει |οφείλ|παρακαλ|καλείστε|ζητάμε|ζητούμε|gerek|lütfen |zorunda|rica eder",
  "يجب|عليك|ينبغي|يرجى|الرجاء|نرجو|من فضلك|نطلب|باید|لطفا|خواهشمند|چاہیے|צריך|צריכ|חייב|עליך|עליכם|נא |בבקשה|מתבקש|אנא ",
  "चाहिए|कृपया|अनुरोध|অনুগ্রহ|উচিত|harus|wajib|mohon |tolong |silakan|hendaklah|sila |diminta|phải |cần |hãy |vui lòng |xin |đề nghị |dapat |mangyaring|lazima |tafadhali",
  "ต้อง|ควร|กรุณา|โปรด|ให้|ください|下さい|べき|お願い|なければ|すること|しないこと|세요|십시오|해야|바랍니다|주시기|请|請|必须|必須|应|應|务必|務必",
];
/** What is said of machines as tools. */
export const AS_TOOLS: Words = [
  "used|genutzt|verwendet|eingesetzt|utilis|usad|usat|utiliz|gebruikt|använd|brug|brukt|käyttää|használ|używ|użyt|использ|використ|použí|použív|folosi|χρησιμοπ|kullan|استخدام|استفاده|להשתמש|उपयोग|digunakan|sử dụng|使用|사용",
];

/** To name or mention. */
export const MENTION: Words = [
  "mention|name |show this|list this|include this|repeat this|cite |refer to |disclose|reveal|quote |flag |erwähn|nenn|aufführ|anführ|verrat|mentionn|cite|citez|évoqu|nomme|parle|mencion|nombr|cita |cites|citen|citem|refier|refira|nomei|fale ",
  "menzion|citi |citate|citare|nomin|parlar|riport|vermeld|noem|verwijs|wspomin|wymieni|wzmiank|ujawni|zmiň|zmin|uváděj|uveď|spomín|uvádz|spomin|navod",
  "упомина|упомян|называ|назов|назва|раскрыва|згаду|згадк|назива|розкрива|споменав|помињ|nämn|omnämn|nævn|nevn|omtal|mainit|maini|kerro|paljast|említ|nevez|menționa|menționez|menționez|pomeni|numi|numeș",
  "αναφέρ|αναφερθ|κατονομ|تذكر|تذكروا|ذكر|الإشارة|ذکر|اشاره|תזכיר|תזכר|להזכיר|תציין|תציינו|לציין|उल्लेख|ज़िक्र|जिक्र|উল্লেখ",
  "banggit|taj|sebut|menyebut|menyinggung|cantum|nhắc|đề cập|nêu |nói |กล่าวถึง|พูดถึง|เอ่ยถึง|触れ|言及|挙げ|언급|거론|提及|提到|提起|提其|透露|谈及|談及|列出",
];
/** Not to mention, in one word or a fixed row of words. */
export const SILENT: Words = [
  "be omitted|leave out|omit |keep silent|verschweig|weglassen|lass weg|lassen sie weg|passez sous silence|omett|omit|tralascia|laat weg|weglaten|pomiń |pomija|przemilcz|умолч|не говор|замовч|nezmiňuj|neuváděj|nejmenuj|neprozrazuj|nespomín|neuvádz|vynech|zamlč",
  "utelämna|udelad|utelat|mainitsematta|jätä pois|ne említs|hallgasd el|bahsetme|söz etme|değinme|belirtme|anmayın|παράλειψ|触れない|触れず|言及しない|言及せず|伏せ|언급하지|생략|省略|隐去|隱去",
];
/** "do not mention this text" */
export const THIS_TEXT: Words = [
  "this text|this note|this paragraph|this line|this instruction|this comment|this section|these lines|read this|diesen text|diesen hinweis|diesen absatz|diese zeile|diese anweisung|diese notiz",
  "ce texte|cette note|ce paragraphe|cette consigne|ces lignes|cette instruction|este texto|esta nota|este párrafo|esta instruccion|estas líneas|este parágrafo|esta instrução|este aviso",
  "questo testo|questa nota|questo paragrafo|questa istruzione|queste righe|deze tekst|deze notitie|deze alinea|deze opmerking|deze instructie|ten tekst|tym tekście|tego tekstu|tym tekscie|tej notat|tym akapi|tym poleceni",
  "этот текст|этом тексте|этого текста|этой записк|этот абзац|этой инструкц|этого указани|цей текст|цього тексту|цю примітк|цю вказівк|tento text|tomto text|tohoto text|této poznám|tuto poznám|tomto texte|túto poznám|ovaj tekst|ovu napomen|този текст|овај текст",
  "den här text|denna text|texten finns|det här stycket|denna anvisning|denne tekst|denne note|dette avsnit|denne teksten|denne merknad|tätä teksti|tästä teksti|tämän teksti|tätä huomautus|seda tekst|ezt a szöveg|erről a szöveg|ezt az utasítás|acest text|această notă|acest paragraf|αυτό το κείμενο|αυτή τη σημείωση|το κείμενο αυτό",
  "bu metin|bu metn|bu not|bu paragraf|bu yazı|bu talimat|هذا النص|هذه الملاحظة|هذه التعليمات|هذه الفقرة|این متن|این یادداشت|این دستور|הטקסט הזה|טקסט זה|ההערה הזו|ההוראה הזו|इस पाठ|इस टेक्स्ट|इस निर्देश|এই লেখা",
  "teks ini|catatan ini|paragraf ini|instruksi ini|nota ini|arahan ini|văn bản này|ghi chú này|đoạn này|hướng dẫn này|nội dung này|ข้อความนี้|หมายเหตุนี้|คำสั่งนี้|この文|この指示|この記述|このテキスト|이 글|이 문구|이 내용|이 지시|이 텍스트|此文|此段|此指令|此说明|这段|這段|本文|这条指令|此文本",
];

/** To summarize, as it is said behind "that" and before the machine. */
export const SUMMARIZE: Words = [
  "summar|zusammenfass|zusammenzufass|résum|resum|rezum|riassum|samenvat|samen te vatten|sammanfatt|opsummer|oppsummer|tiivist|yhteenve|kokkuvõ|összefoglal|összegez|összegz|streszcz|podsumow|shrn|zhrn|sumariz|sažim|sažet|povzem|povzet",
  "суммариз|саммариз|пересказ|обобща|обобщ|резюмир|підсумов|узагальн|сажим|περιληψ|συνοψ|συνόψ|özet|تلخص|يلخص|تلخيص|خلاص|סכם|מסכמ|לסכם|לסכמ|सारांश|সারাংশ|ringkas|rangkum|tóm tắt|สรุป|要約|요약|总结|總結|摘要|概括",
];
/** Where a machine is ordered to write something. */
export const IN_SUMMARY: Words = [
  "your summary|deiner zusammenfassung|deine zusammenfassung|ihre zusammenfassung|ihrer zusammenfassung|ton résumé|votre résumé|tu resumen|su resumen|teu resumo|seu resumo|tuo riassunto|suo riassunto|vostro riassunto|je samenvatting|jouw samenvatting|uw samenvatting",
  "din sammanfattning|er sammanfattning|dit resum|din opsummering|dit sammendrag|oppsummeringen din|sammendraget ditt|din oppsummering|ditt sammendrag|tiivistelmääsi|tiivistelmässäsi|yhteenvetoosi|yhteenvedossasi|oma kokkuvõt|összefoglalódba|összefoglalójába|összegzésedbe",
  "swoim podsumowani|swoim streszczeni|twoim podsumowani|twoim streszczeni|swojego podsumowani|swojego streszczeni|svém shrnutí|svého shrnutí|svém souhrn|svého souhrn|svojom zhrnutí|svojho zhrnuti|svom sažetk|svoj sažetak|svojem povzetk|svoj povzetek|свом сажетк|свой пересказ|своем пересказ|своём пересказ|своей сводк|свою сводк|своєму переказ|своєму підсумк|свій підсумок|своето резюме|резюмето си",
  "rezumatul tău|rezumatul dumneavoastră|περίληψή σου|περίληψή σας|σύνοψή σου|σύνοψή σας|özetine |özetinde|özetinize|ملخصك|تلخيصك|خلاصه ات|خلاصه خود|הסיכום שלך|בסיכום שלך|בתקציר שלך|अपने सारांश|আপনার সারাংশ|তোমার সারাংশ|ringkasanmu|ringkasan anda|rangkumanmu|rangkuman anda|tóm tắt của bạn|บทสรุปของคุณ|สรุปของคุณ|要約に|要約文に|요약에|요약문에|摘要中|摘要里|总结中|总结里|總結中",
];
/** To write or to say. */
export const WRITE: Words = [
  "write|state |say |claim|mention|schreib|sag |sage |behaupt|erwähn|écri|dis |dites|affirm|mentionn|escrib|di |diga|afirm|mencion|escrev|scriv|menzion|dichiar|schrijf|zeg |vermeld|noem|skriv|säg |sig |si |nämn|nævn|nevn|kirjoit|sano |mainit|kirjuta|ütle |írd |írja|mondd|említ",
  "napisz|stwierd|wspomn|napiš|tvrď|zmiň|uveď|napíš|spomeň|napiši|navedi|напиш|укаж|скажи|упомян|вкажи|зазнач|згада|посоч|scrie|mențione|spune|γράψ|ανάφερ|αναφέρ|πες |πείτε|yaz|belirt|söyle|اكتب|اذكر|قل |بنویس|بگو|ذکر|כתוב|כתב|ציין|אמור|लिख|कह|बता|লিখ|লেখ|বল|tulis|sebut|kata|nyata|viết|ghi |nói|nêu|เขียน|ระบุ|บอก|書|記載|述べ|쓰|써|적|명시|언급|写|寫|说|說|提到|注明",
];

/** To judge, to describe or to recommend. */
export const JUDGE: Words = [
  "recommend |report it|report them|award |give |place |describe |rate |rank |ranked|rated|present |portray|consider |treat |score |assess |evaluate |state |declare |praise |highlight|favour |favor |classify|prefer |invite |empfehl|empfiehl|beschreib|bewert|einstuf|stufe |darstell|stelle |stellen sie|behandle|behandeln|betrachte|lobe ",
  "recommand|décri|présent|class|évalu|consid|note |notez |traite|décla|indique|recomiend|recomend|descri|presen|clasifi|evalú|evalu|califi|consider|valor|trate |indica|classifi|avali|apresent|dizer |diga",
  "raccomand|consigli|descriv|presenta|valut|classific|consider|tratta |indica|definisc|aanbevel|beveel|raad |beschrijf|omschrijf|beoordel|presente|beschouw|rangschik|score",
  "poleć|polec|opis|ocen|przedstaw|uzna|traktuj|sklasyfik|рекоменд|порекоменд|опиш|опис|оцен|представ|счита|признай|отнес|порад|оцін|представ|вважа|визнай|препоръч|опиши|оцени|препоруч",
  "doporuč|popiš|popis|hodno|ohodno|označ|představ|považ|odporúč|predstav|preporuč|opiš|ocijen|rekommend|beskriv|bedöm|rangord|presenter|framhåll|betrakta|anbefal|vurder|bedøm|fremhæv|fremhev|omtal",
  "suosit|kuvaa|kuvail|arvio|esit|pidä |soovita|kirjelda|hinda|ajánl|jellemez|értékel|mutas|tekints|minősít|nevez|recomand|descri|prezint|evalu|consider|clasific|συνέστησ|συστήσ|προτείν|περιγράψ|παρουσι|αξιολόγ|αξιολογ|βαθμολόγ|θεώρησ",
  "öner|tavsiye|tanıt|değerlendir|puanla|betimle|sun |sunun|say |kabul et|أوص|اوص|توصي|صف |قيّم|قيم |اعتبر|قدّم|قدم |صنف|توصیه|پیشنهاد کن|معرفی|ارزیابی|در نظر بگیر|המלץ|המליצו|תאר|תארו|דרג|דרגו|הצג|הציגו|סווג",
  "सिफ़ारिश|सिफारिश|बताएं|बताएँ|बताओ|वर्णन|मूल्यांकन|प्रस्तुत|সুপারিশ|irekomend|pendekez|syorkan|rekomendasi|sarankan|gambarkan|nilai |menilai|anggap|tampilkan|cadangkan|giới thiệu|mô tả|đánh giá|xếp |đề xuất|khuyến nghị|coi ",
  "แนะนำ|อธิบาย|ประเมิน|จัดอันดับ|นำเสนอ|ถือว่า|推薦|推奨|付け|与え|紹介|評価|勧め|順位|みなし|추천|소개|평가|설명|간주|추천|推荐|列为|列為|描述|评为|評為|评价|評價|介绍|介紹|视为|視為|认定|排在",
];
/** How it is judged. */
export const BEST: Words = [
  "best|first|top |only |preferred|favourite|favorite|excellent|highest|perfect|outstanding|ideal|leading|trusted|verified|approved|accepted|cheapest|positive|strongest|beste|erste|einzig|ausschließlich|hervorragend|bevorzugt|höchst|ideal|günstigst|geprüft|genehmigt|vertrauenswürdig",
  "meilleur|premier|première|seul|préféré|excellent|idéal|moins cher|vérifié|approuvé|fiable|mejor|primer|único|única|preferid|excelente|ideal|barat|aprobad|verificad|fiable|melhor|primeir|preferid|excelente|aprovad|confiável",
  "miglior|primo|prima |unic|preferit|eccellent|ideale|economic|approvat|verificat|affidabil|beste|eerste|enige|voorkeur|uitstekend|hoogste|ideaal|goedgekeurd|betrouwbaar",
  "najleps|pierwsz|jedyn|preferowan|doskonał|najwyżs|idealn|zatwierdzon|лучш|первым|первую|первое|единственн|предпочт|отличн|идеальн|надежн|проверен|одобрен|найкращ|першим|першою|першу|єдин|відмінн|ідеальн|надійн|перевірен|схвален|най добр|najbolj",
  "nejlepš|první|jedin|preferovan|vynikaj|nejvyšš|ideáln|schválen|najlepš|prv |bäst|först|enda|favorit|utmärkt|högst|idealisk|godkän|bedst|først|eneste|foretruk|fremragende|højest|beste|godkend|godkjen|fremste",
  "paras|parha|ensimmäis|ainoa|erinomai|ihantee|korkei|hyväksyt|parim|esimes|ainus|legjobb|első|egyetlen|kiváló|ideális|legmagasabb|jóváhagyott|cel mai bun|cea mai bun|cele mai bun|prim|unic|excelent|ideal|aprobat|verificat|καλύτερ|πρώτ|μοναδικ|προτιμ|εξαιρετ|ιδανικ|εγκεκρι",
  "en iyi|ilk |tek |birinci|mükemmel|ideal|onaylan|güvenilir|الأفضل|أفضل|الأول|الوحيد|المفضل|ممتاز|موثوق|معتمد|بهترین|اولین|تنها|عالی|معتبر|הטוב ביותר|הטובה ביותר|ראשון|ראשונה|היחיד|מצוין|מועדף|מועדפת|אמין",
  "सबसे अच्छ|सर्वश्रेष्ठ|पहल|एकमात्र|उत्कृष्ट|সেরা|terbaik|pertama|satu satunya|utama|unggul|tepercaya|tốt nhất|đầu tiên|duy nhất|hàng đầu|xuất sắc|uy tín",
  "ดีที่สุด|อันดับแรก|อันดับหนึ่ง|เพียง|ยอดเยี่ยม|最高|最も|第一|唯一|一番|優れ|優先|최고|가장|첫|유일|우수|최우선|首选|首選|最好|最佳|第一|唯一|优秀|優秀|最高|可信",
];

/** Where a text speaks about itself, to be looked for with all other phrases. */
export const OWN_TEXT: Phrase = { name: "own text", strength: "machine", slots: [THIS_TEXT.join("|")] };

/** Before any machine that is meant. */
export const EVERY: Words = [
  "any |every |each |all |whichever |jeder |jede |jedes |alle |sämtliche |tout |toute |tous |toutes |cualquier |todo |todos |qualquer |todos |ogni |qualsiasi |tutti |tutte |elke |ieder |iedere |każdy |każda |wszystkie |wszyscy |každý |všechny |všichni |svaki |svi |vsak |vsi |alla |varje |hver |enhver |jokainen |kaikki |iga |kõik |minden |orice |toate |toți |κάθε |όλοι |όλα |her |tüm |bütün ",
  "любой |каждый |все |всякий |кожен |усі |всі |всеки |всички |جميع |كل |أي |هر |همه |כל |सभी |हर |সব |setiap |semua |các |mọi |bất kỳ |lahat ng ",
];

/** "We ask any AI" */
export const WE_ASK: Words = [
  "على |يجب على |ينبغي على |we ask |we invite |we request |we urge |we would like |wir bitten |nous prions |nous demandons |nous invitons |pedimos |rogamos |solicitamos |chiediamo |preghiamo |invitiamo |we verzoeken |wij verzoeken |prosimy |prosíme |žádáme |žiadame |просим |просимо |молим |molimo |vi ber |vi beder |pyydämme |palume |kérjük |rugăm |παρακαλούμε |rica ediyoruz |نرجو من |نطلب من |אנו מבקשים |kami mohon |kami minta |chúng tôi đề nghị ",
];

/** What is done to a machine, and not by it: "must be registered". */
export const BE: Words = [
  "be |être |ser |essere |werden |worden |zijn |być |zostać |být |byť |быть |бути |bli |blive |være |vara |fi |biti |olla |lenni |είναι |να είναι |được |bị ",
];
