// Sentences and the words of mail clients in 44 languages, from which replies.ts makes replies.

/**
 * Of a language: how its clients introduce a quote (`{D}` date, `{T}` time, `{N}` name, `{A}` address), the labels of sender, date,
 * recipient and subject, the separators of quoted and forwarded mail, "reply above this line", what a phone adds, a date, two
 * sentences of the sender, two of the quoted mail.
 */
export type Language = {
  name: string;
  attribution: string;
  labels: [string, string, string, string];
  original: string;
  forwarded: string;
  marker: string;
  phone: string;
  date: string;
  own: [string, string];
  quoted: [string, string];
};

const TABLE = `
English|On {D} at {T} {N} <{A}> wrote:|From|Sent|To|Subject|Original Message|Forwarded message|Please reply above this line|Sent from my iPhone|Mon, Nov 2, 2026|The red chairs arrived this morning.|Two of them are scratched, see the photos|When will you be at the warehouse again?|We also need the number of the truck.
German|Am {D} um {T} Uhr schrieb {N} <{A}>:|Von|Gesendet|An|Betreff|Ursprüngliche Nachricht|Weitergeleitete Nachricht|Bitte oberhalb dieser Zeile antworten|Von meinem iPhone gesendet|Mo., 2. Nov. 2026|Die roten Stühle sind heute gekommen.|Zwei davon sind verkratzt, siehe Fotos|Wann sind Sie wieder im Lager?|Wir brauchen auch das Kennzeichen des Lasters.
French|Le {D} à {T}, {N} <{A}> a écrit :|De|Envoyé|À|Objet|Message d'origine|Message transféré|Répondez au-dessus de cette ligne|Envoyé de mon iPhone|lun. 2 nov. 2026|Les chaises rouges sont arrivées ce matin.|Deux sont rayées, voir les photos|Quand serez-vous de retour au dépôt ?|Il nous faut aussi le numéro du camion.
Spanish|El {D} a las {T}, {N} (<{A}>) escribió:|De|Enviado|Para|Asunto|Mensaje original|Mensaje reenviado|Responda por encima de esta línea|Enviado desde mi iPhone|lun, 2 nov 2026|Las sillas rojas llegaron esta mañana.|Dos están rayadas, vea las fotos|¿Cuándo vuelve usted al almacén?|También falta la matrícula del camión.
Portuguese|Em {D} às {T}, {N} <{A}> escreveu:|De|Enviada em|Para|Assunto|Mensagem original|Mensagem encaminhada|Responda acima desta linha|Enviado do meu iPhone|seg., 2 de nov. de 2026|As cadeiras vermelhas chegaram hoje cedo.|Duas estão riscadas, veja as fotos|Quando volta ao armazém?|Falta também a placa do caminhão.
Italian|Il giorno {D} alle ore {T} {N} <{A}> ha scritto:|Da|Inviato|A|Oggetto|Messaggio originale|Messaggio inoltrato|Rispondi sopra questa riga|Inviato da iPhone|lun 2 nov 2026|Le sedie rosse sono arrivate stamattina.|Due sono graffiate, guardi le foto|Quando torna in magazzino?|Ci serve anche la targa del camion.
Dutch|Op {D} om {T} schreef {N} <{A}>:|Van|Verzonden|Aan|Onderwerp|Oorspronkelijk bericht|Doorgestuurd bericht|Antwoord boven deze lijn|Verstuurd vanaf mijn iPhone|ma 2 nov 2026|De rode stoelen zijn vanmorgen gekomen.|Twee hebben krassen, zie de foto's|Wanneer bent u weer in het magazijn?|We hebben ook het kenteken nodig.
Danish|Den {D} kl. {T} skrev {N} <{A}>:|Fra|Sendt|Til|Emne|Oprindelig meddelelse|Videresendt meddelelse|Svar over denne linje|Sendt fra min iPhone|man. 2. nov. 2026|De røde stole kom i morges.|To af dem er ridsede, se billederne|Hvornår er du på lageret igen?|Vi mangler også bilens nummer.
Norwegian|{D} kl. {T} skrev {N} <{A}>:|Fra|Sendt|Til|Emne|Opprinnelig melding|Videresendt melding|Svar over denne linjen|Sendt fra min iPhone|man. 2. nov. 2026|De røde stolene kom i dag tidlig.|To av dem er ripete, se bildene|Når er du tilbake på lageret?|Vi trenger også bilens nummer.
Swedish|Den {D} kl {T} skrev {N} <{A}>:|Från|Skickat|Till|Ämne|Ursprungligt meddelande|Vidarebefordrat meddelande|Svara ovanför denna linje|Skickat från min iPhone|mån 2 nov. 2026|De röda stolarna kom i morse.|Två av dem är repiga, se bilderna|När är du på lagret igen?|Vi behöver också bilens nummer.
Finnish|{D} klo {T} {N} <{A}> kirjoitti:|Lähettäjä|Lähetetty|Vastaanottaja|Aihe|Alkuperäinen viesti|Välitetty viesti|Vastaa tämän viivan yläpuolelle|Lähetetty iPhonesta|ma 2. marrask. 2026|Punaiset tuolit tulivat tänä aamuna.|Kaksi on naarmuilla, katso kuvat|Milloin olet taas varastolla?|Tarvitsemme myös auton numeron.
Icelandic|{D} kl. {T} skrifaði {N} <{A}>:|Frá|Sent|Til|Efni|Upprunaleg skilaboð|Framsend skilaboð|Svaraðu fyrir ofan þessa línu|Sent úr iPhone|mán., 2. nóv. 2026|Rauðu stólarnir komu í morgun.|Tveir eru rispaðir, sjá myndirnar|Hvenær ertu aftur á lagernum?|Okkur vantar líka bílnúmerið.
Polish|{D} o {T} {N} <{A}> napisał(a):|Od|Wysłano|Do|Temat|Wiadomość oryginalna|Przekazana wiadomość|Odpowiedz powyżej tej linii|Wysłane z iPhone'a|pon., 2 lis 2026|Czerwone krzesła przyszły dziś rano.|Dwa są porysowane, są zdjęcia|Kiedy będzie pan znów w magazynie?|Potrzebny jest też numer ciężarówki.
Czech|{D} v {T} odesílatel {N} <{A}> napsal:|Od|Odesláno|Komu|Předmět|Původní zpráva|Přeposlaná zpráva|Odpovězte nad tuto čáru|Odesláno z iPhonu|po 2. 11. 2026|Červené židle dorazily dnes ráno.|Dvě jsou poškrábané, viz fotky|Kdy budete zase ve skladu?|Potřebujeme také značku auta.
Slovak|{D} o {T} {N} <{A}> napísal(a):|Od|Odoslané|Komu|Predmet|Pôvodná správa|Preposlaná správa|Odpovedzte nad túto čiaru|Odoslané z iPhonu|po 2. 11. 2026|Červené stoličky prišli dnes ráno.|Dve sú poškriabané, pozri fotky|Kedy budete zase v sklade?|Potrebujeme aj značku auta.
Hungarian|{N} <{A}> ezt írta (időpont: {D}, {T}):|Feladó|Elküldve|Címzett|Tárgy|Eredeti üzenet|Továbbított üzenet|Válaszoljon e sor fölé|iPhone-omról küldve|2026. nov. 2., H|A piros székek ma reggel megjöttek.|Kettő karcos, lásd a képeket|Mikor lesz újra a raktárban?|A kocsi rendszáma is kell.
Romanian|În {D} la {T}, {N} <{A}> a scris:|De la|Trimis|Către|Subiect|Mesaj original|Mesaj redirecționat|Răspundeți deasupra acestei linii|Trimis de pe iPhone|lun., 2 nov. 2026|Scaunele roșii au sosit azi dimineață.|Două sunt zgâriate, vedeți pozele|Când mai ajungeți la depozit?|Ne trebuie și numărul camionului.
Bulgarian|На {D} в {T} {N} <{A}> написа:|От|Изпратено|До|Относно|Оригинално съобщение|Препратено съобщение|Отговорете над тази линия|Изпратено от моя iPhone|пн, 2.11.2026 г.|Червените столове пристигнаха днес.|Два са надраскани, вижте снимките|Кога ще сте пак в склада?|Трябва ни и номерът на камиона.
Russian|{D} в {T}, {N} <{A}>:|От|Отправлено|Кому|Тема|Исходное сообщение|Пересылаемое сообщение|Отвечайте выше этой линии|Отправлено с iPhone|пн, 2 нояб. 2026 г.|Красные стулья пришли сегодня утром.|Два поцарапаны, смотрите фото|Когда вы снова будете на складе?|Нужен ещё номер грузовика.
Ukrainian|{D} о {T} {N} <{A}> пише:|Від|Надіслано|Кому|Тема|Оригінальне повідомлення|Переслане повідомлення|Відповідайте вище цієї лінії|Надіслано з iPhone|пн, 2 лист. 2026 р.|Червоні стільці прийшли сьогодні зранку.|Два подряпані, дивіться фото|Коли ви знову будете на складі?|Потрібен також номер вантажівки.
Serbian|{D} у {T} {N} <{A}> је написао/ла:|Шаље|Послато|Прима|Наслов|Изворна порука|Прослеђена порука|Одговорите изнад ове линије|Послато са iPhone-а|пон, 2. нов 2026.|Црвене столице су стигле јутрос.|Две су огребане, види слике|Кад сте поново у магацину?|Треба нам и број камиона.
Croatian|{N} <{A}> je napisao/la dana {D} u {T}:|Šalje|Poslano|Prima|Predmet|Izvorna poruka|Proslijeđena poruka|Odgovorite iznad ove linije|Poslano s mog iPhonea|pon, 2. stu 2026.|Crvene stolice stigle su jutros.|Dvije su ogrebane, vidi slike|Kada ste opet u skladištu?|Trebamo i broj kamiona.
Slovenian|V V {D} ob {T} je oseba {N} <{A}> napisala:|Od|Poslano|Za|Zadeva|Izvirno sporočilo|Posredovano sporočilo|Odgovorite nad to črto|Poslano iz iPhona|pon., 2. nov. 2026|Rdeči stoli so prišli danes zjutraj.|Dva sta opraskana, glej slike|Kdaj boste spet v skladišču?|Potrebujemo tudi številko kamiona.
Lithuanian|{D}, {T} {N} <{A}> rašė:|Nuo|Išsiųsta|Kam|Tema|Pradinis laiškas|Persiųstas laiškas|Atsakykite virš šios linijos|Išsiųsta iš iPhone|2026-11-02, pr|Raudonos kėdės atvyko šįryt.|Dvi subraižytos, žr. nuotraukas|Kada vėl būsite sandėlyje?|Dar reikia sunkvežimio numerio.
Latvian|{D}, plkst. {T} — lietotājs {N} (<{A}>) rakstīja:|No|Nosūtīts|Kam|Temats|Sākotnējais ziņojums|Pārsūtīts ziņojums|Atbildiet virs šīs līnijas|Nosūtīts no iPhone|pirmd., 2026. g. 2. nov.|Sarkanie krēsli pienāca šorīt.|Divi ir saskrāpēti, skat. foto|Kad atkal būsiet noliktavā?|Vajag arī mašīnas numuru.
Estonian|Kuupäev {D}, kell {T} kirjutas kasutaja {N} <{A}>:|Saatja|Saadetud|Adressaat|Teema|Algne sõnum|Edastatud kiri|Vastake selle joone kohal|Saadetud minu iPhone'ist|E, 2. november 2026|Punased toolid saabusid täna.|Kaks on kriimustatud, vaata pilte|Millal te jälle laos olete?|Vaja on ka auto numbrit.
Greek|Στις {D} στις {T}, ο χρήστης {N} <{A}> έγραψε:|Από|Στάλθηκε|Προς|Θέμα|Αρχικό μήνυμα|Προωθημένο μήνυμα|Απαντήστε πάνω από αυτή τη γραμμή|Στάλθηκε από το iPhone μου|Δευ 2 Νοε 2026|Οι κόκκινες καρέκλες ήρθαν σήμερα.|Δύο είναι γρατζουνισμένες, δείτε φωτογραφίες|Πότε θα είστε πάλι στην αποθήκη;|Χρειάζεται και ο αριθμός του φορτηγού.
Turkish|{N} <{A}>, {D}, {T} tarihinde şunu yazdı:|Kimden|Gönderildi|Kime|Konu|Orijinal Mesaj|Yönlendirilmiş ileti|Lütfen bu satırın üstüne yanıt yazın|iPhone'umdan gönderildi|2 Kas 2026 Pzt|Kırmızı sandalyeler bu sabah geldi.|İkisi çizik, fotoğraflara bakın|Ne zaman yine depoda olacaksınız?|Kamyonun plakası da lazım.
Arabic|في {D} في {T} كتب {N} <{A}>:|من|تم الإرسال|إلى|الموضوع|الرسالة الأصلية|رسالة معاد توجيهها|يرجى الرد فوق هذا السطر|أُرسلت من الـ iPhone|الاثنين، ٢ نوفمبر ٢٠٢٦|وصلت الكراسي الحمراء هذا الصباح.|اثنان منها مخدوشان، انظر الصور|متى ستكون في المستودع مرة أخرى؟|نحتاج أيضا إلى رقم الشاحنة.
Persian|{N} <{A}> در تاریخ {D} ساعت {T} نوشت:|از|ارسال شده|به|موضوع|پیام اصلی|پیام هدایت‌شده|لطفا بالای این خط پاسخ دهید|ارسال شده از iPhone من|دوشنبه ۱۱ آبان ۱۴۰۵|صندلی‌های قرمز امروز صبح رسیدند.|دو تا خط دارند، عکس‌ها را ببینید|کی دوباره در انبار هستید؟|شماره کامیون هم لازم است.
Hebrew|‫בתאריך {D} ב-{T} מאת ‪{N}‬‏ <‪{A}‬‏>:‬|מאת|נשלח|אל|נושא|הודעה מקורית|הודעה שהועברה|נא להשיב מעל השורה הזו|נשלח מה-iPhone שלי|יום ב׳, 2 בנוב׳ 2026|הכיסאות האדומים הגיעו הבוקר.|שניים שרוטים, ראו תמונות|מתי תהיו שוב במחסן?|צריך גם את מספר המשאית.
Hindi|{D} को {T} बजे {N} <{A}> ने लिखा:|प्रेषक|भेजा गया|प्रति|विषय|मूल संदेश|अग्रेषित संदेश|कृपया इस रेखा के ऊपर उत्तर दें|मेरे iPhone से भेजा गया|सोम, 2 नव॰ 2026|लाल कुर्सियाँ आज सुबह आ गईं।|दो पर खरोंच है, तस्वीरें देखें|आप गोदाम में फिर कब होंगे?|हमें ट्रक का नंबर भी चाहिए।
Bengali|{D} তারিখে {T} টায় {N} <{A}> লিখেছেন:|প্রেরক|পাঠানো হয়েছে|প্রতি|বিষয়|মূল বার্তা|ফরোয়ার্ড করা বার্তা|এই লাইনের উপরে উত্তর দিন|আমার iPhone থেকে পাঠানো|সোম, ২ নভেম্বর, ২০২৬|লাল চেয়ারগুলো আজ সকালে এসেছে।|দুটিতে আঁচড় আছে, ছবি দেখুন|আপনি আবার কখন গুদামে থাকবেন?|ট্রাকের নম্বরও দরকার।
Thai|เมื่อ {D} เวลา {T} {N} <{A}> เขียนว่า:|จาก|ส่งเมื่อ|ถึง|เรื่อง|ข้อความต้นฉบับ|ข้อความที่ส่งต่อ|โปรดตอบกลับเหนือบรรทัดนี้|ส่งจาก iPhone ของฉัน|จ. 2 พ.ย. 2026|เก้าอี้สีแดงมาถึงเมื่อเช้านี้|สองตัวมีรอยขีดข่วน ดูรูป|คุณจะอยู่ที่โกดังอีกเมื่อไร|เราต้องการทะเบียนรถด้วย
Vietnamese|Vào {D} vào lúc {T} {N} <{A}> đã viết:|Từ|Đã gửi|Tới|Chủ đề|Tin nhắn gốc|Thư đã chuyển tiếp|Vui lòng trả lời phía trên dòng này|Được gửi từ iPhone của tôi|Th 2, 2 thg 11, 2026|Ghế đỏ đã đến sáng nay.|Hai chiếc bị xước, xem ảnh|Khi nào anh lại ở kho?|Chúng tôi cũng cần biển số xe.
Indonesian|Pada {D} pukul {T} {N} <{A}> menulis:|Dari|Dikirim|Kepada|Subjek|Pesan Asli|Pesan terusan|Balas di atas garis ini|Dikirim dari iPhone saya|Sen, 2 Nov 2026|Kursi merah tiba pagi ini.|Dua tergores, lihat fotonya|Kapan Anda di gudang lagi?|Kami juga perlu nomor truk.
Malay|Pada {D} {T} {N} <{A}> telah menulis:|Daripada|Dihantar|Kepada|Perkara|Mesej Asal|Mesej yang dimajukan|Sila balas di atas garis ini|Dihantar daripada iPhone saya|Isn, 2 Nov 2026|Kerusi merah sampai pagi tadi.|Dua calar, lihat gambar|Bila anda di gudang lagi?|Kami juga perlu nombor lori.
Swahili|Mnamo {D}, saa {T} {N} <{A}> aliandika:|Kutoka|Ilitumwa|Kwa|Mada|Ujumbe wa asili|Ujumbe uliosambazwa|Tafadhali jibu juu ya mstari huu|Imetumwa kutoka iPhone yangu|Jtt, 2 Nov 2026|Viti vyekundu vimefika asubuhi hii.|Viwili vina mikwaruzo, tazama picha|Utakuwa ghalani tena lini?|Tunahitaji pia namba ya lori.
Basque|{N} <{A}> erabiltzaileak hau idatzi du ({D}, {T}):|Nork|Bidalia|Nori|Gaia|Jatorrizko mezua|Birbidalitako mezua|Erantzun lerro honen gainean|Nire iPhonetik bidalita|2026 aza. 2|Aulki gorriak gaur goizean iritsi dira.|Bik marrak dituzte, ikusi argazkiak|Noiz egongo zara berriz biltegian?|Kamioiaren zenbakia ere behar dugu.
Georgian|{D}, {T} {N} <{A}> დაწერა:|ვისგან|გაგზავნილია|ვის|თემა|საწყისი შეტყობინება|გადაგზავნილი შეტყობინება|უპასუხეთ ამ ხაზის ზემოთ|გაგზავნილია ჩემი iPhone-დან|ორშ, 2 ნოე. 2026|წითელი სკამები დღეს დილით მოვიდა.|ორი დაკაწრულია, ნახეთ ფოტოები|როდის იქნებით ისევ საწყობში?|მანქანის ნომერიც გვჭირდება.
Armenian|{D}, {T} {N} <{A}> գրել է:|Ումից|Ուղարկվել է|Ում|Թեմա|Սկզբնական հաղորդագրություն|Փոխանցված հաղորդագրություն|Պատասխանեք այս տողից վեր|Ուղարկված է իմ iPhone-ից|երկ, 2 նոյ. 2026|Կարմիր աթոռներն այսօր եկան։|Երկուսը քերծված են, տեսեք նկարները|Ե՞րբ եք նորից պահեստում լինելու|Պետք է նաև մեքենայի համարը։
Chinese|{N} <{A}> 于{D} {T}写道：|发件人|发送时间|收件人|主题|原始邮件|转发的邮件|请在此行上方回复|发自我的 iPhone|2026年11月2日周一|红色的椅子今天早上到了。|有两把被划伤了，请看照片|你们什么时候再去仓库呢？那边有人问。|另外我们还需要卡车的车牌号码。
Japanese|{D} {T} {N} <{A}>:|差出人|送信日時|宛先|件名|元のメッセージ|転送されたメッセージ|この行より上に返信してください|iPhoneから送信|2026年11月2日(月)|赤い椅子は今朝届きました。|二脚に傷があります、写真をご覧ください|次はいつ倉庫にいらっしゃいますか？|トラックのナンバーも必要です。
Korean|{D} {T}, {N} <{A}>님이 작성:|보낸 사람|보낸 날짜|받는 사람|제목|원본 메시지|전달된 메시지|이 줄 위에 답장해 주세요|나의 iPhone에서 보냄|2026년 11월 2일 (월)|빨간 의자가 오늘 아침에 왔습니다.|두 개에 긁힌 자국이 있어요, 사진을 보세요|창고에는 언제 다시 오시나요?|트럭 번호도 필요합니다.
`;

export const LANGUAGES: Language[] = TABLE.trim()
  .split("\n")
  .map((line) => {
    const cells = line.split("|");
    const at = (n: number) => cells[n] ?? "";
    return {
      name: at(0),
      attribution: at(1),
      labels: [at(2), at(3), at(4), at(5)],
      original: at(6),
      forwarded: at(7),
      marker: at(8),
      phone: at(9),
      date: at(10),
      own: [at(11), at(12)],
      quoted: [at(13), at(14)],
    };
  });
