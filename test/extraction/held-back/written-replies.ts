// Replies and first mails in many languages, written by hand, in shapes that rules forget. Half of them is held back.
import { createHash } from "node:crypto";

/**
 * `=== name|subject`, then options after another `|`: `first` answers nothing, `html`. The sign before a line says whose it is: `+` the
 * sender's own, `-` quoted, `.` neither counts, `=` a line of the message of the thread that it answers.
 */
const WRITTEN = `
=== en, a line that begins with From|Re: opening hours
+Hello Mia,
+
+the shop changes its hours.
+>From Monday on we open at nine.
+The phone stays as it is.
=== de, a list with angle marks|Tagesordnung für Freitag|first
+Hallo zusammen,
+
+das steht an:
+> Haushalt 2027
+> Wahl der Kassenprüfer
+> Verschiedenes
+
+Bis Freitag!
=== fr, verses|Pour ton anniversaire|first
+Chère Odile,
+
+> La mer est douce au matin clair,
+> et le vent porte ton prénom.
+
+Je t'embrasse.
=== es, more than thirty days|Re: devoluciones
+Aceptamos el artículo salvo si el retraso es
+> 30 días desde la entrega.
+En ese caso lo repara el taller.
=== it, a path of menus|R: stampante
+Per la stampante apri prima Impostazioni
+> Dispositivi > Stampanti e scegli la seconda.
+Poi riavvia tutto.
=== pt, a chat|Conversa de ontem|first
+Oi Rita, copio aqui a conversa:
+
+> Joana: chegou a encomenda?
+> Caio: ainda não, só amanhã.
+
+Você sabe de algo?
=== nl, Apple without an address|Re: sleutels
.Op 26 nov 2026, om 16:11 heeft Ann de Wit het volgende geschreven:
.
->  Wie heeft de sleutels van de kelder?
-> Ik moet er morgen in.
.
+De sleutels liggen bij de portier.
+Vraag naar Henk.
=== pl, header lines in a frame|Odp: faktura|html
+<p>Faktura poszła wczoraj, proszę sprawdzić spam.</p>
.<blockquote style="border-left:2px solid #325FBA;padding-left:5px;margin-left:5px"><p><b>Od:</b> Jan Kot &lt;jan@kot.example&gt;<br><b>Wysłano:</b> czwartek, 26 listopada 2026 16:11<br><b>Do:</b> biuro@dom.example<br><b>Temat:</b> faktura</p>
-<p>Kiedy przyjdzie faktura za październik?</p></blockquote>
=== ru, Yandex|Re: смета|html
+<div>Смету пришлю после обеда, осталось две строки.</div>
.<div> </div><div>26.11.2026, 16:11, "Игорь Лапин" &lt;igor@dacha.example&gt;:</div><blockquote>
-<p>Когда будет готова смета на крышу?</p></blockquote>
=== uk, attribution in the frame|Re: квитки|html
+<p>Беру два місця біля вікна.</p>
.<blockquote class="" style="margin:0 0 0 1ex;border-left:1px solid #ccc"><p>26 листопада 2026, 16:11:20, від "Ліна" &lt;lina@kvytky.example&gt;:</p>
-<p>Які місця брати на п'ятницю?</p></blockquote>
=== cs, Seznam|Re: schůzka|html
+<div>Ve čtvrtek se mi to hodí, přijdu v deset.</div>
.<aside><br>---------- Původní e-mail ----------<br>Od: Petr Malý &lt;petr@dilna.example&gt;<br>Komu: Jana &lt;jana@dilna.example&gt;<br>Datum: 26. 11. 2026 16:11:20<br>Předmět: schůzka<br>
-Hodí se vám spíš středa nebo čtvrtek?</aside>
=== ja, answers between full-width marks|Re: 打ち合わせの件
+森様
.
+お世話になっております。
.
-＞会場は三階の会議室でよろしいでしょうか。
+はい、三階でお願いいたします。
.
-＞資料は何部用意しますか。
+十二部お願いいたします。
=== ko, Naver|RE: 견적 문의
+견적서는 오늘 오후에 보내 드리겠습니다.
+수량만 다시 알려 주세요.
.
.-----Original Message-----
.From: "김하늘" <haneul@gage.example>
.To: <box@mail.localhost>
.Cc:
.Sent: 2026-11-26 (목) 16:11:20 (GMT+09:00)
.Subject: 견적 문의
.
-의자 서른 개의 견적을 부탁드립니다.
=== zh, QQ|回复：发票|html
+<div>发票已经寄出，大约三天后到。</div>
.<div><br></div><div style="font-size:12px;font-family:Arial">------------------&nbsp;原始邮件&nbsp;------------------</div><div style="font-size:12px;background:#efefef;padding:8px"><div><b>发件人:</b>&nbsp;"林" &lt;lin@shuju.example&gt;;</div><div><b>发送时间:</b>&nbsp;2026年11月26日(星期四) 下午4:11</div><div><b>收件人:</b>&nbsp;"box"&lt;box@mail.localhost&gt;;</div><div><b>主题:</b>&nbsp;发票</div></div>
-<div>请问上个月的发票什么时候可以寄来？</div>
=== zh, 163|Re:会议室|html
+<div>会议室订好了，在五楼。</div>
.<br><div>在 2026-11-26 16:11:20，"周明" &lt;zhou@lou.example&gt; 写道：</div><blockquote id="isReplyContent" style="padding-left:1ex;border-left:#ccc 1px solid">
-<div>明天的会议室订了吗？</div></blockquote>
=== zh, steps with marks|安装说明|first
+各位好，按下面的步骤安装：
+
+> 第一步：打开设置
+> 第二步：选择语言
+
+有问题随时问我。
=== ar, Gmail|رد: الموعد|html
+<div dir="rtl">الموعد يوم الأحد مناسب لي.</div>
.<br><div class="gmail_quote"><div dir="rtl" class="gmail_attr">في الخميس، ٢٦ نوفمبر ٢٠٢٦ في ٤:١١ م تمت كتابة ما يلي بواسطة سامي &lt;sami@maktab.example&gt;:</div><blockquote class="gmail_quote">
-<p>هل يناسبك يوم الأحد أم الاثنين؟</p></blockquote></div>
=== he, attribution with direction marks|Re: הזמנה
+ההזמנה יצאה אתמול בערב.
.
.\u200fבתאריך יום ה׳, 26 בנוב׳ 2026 ב-16:11 מאת דנה לוי <\u200edana@hanut.example\u200e>:\u200f
.
-> מתי יוצאת ההזמנה מהמחסן?
=== fa, a Persian date|پاسخ: سفارش
+سفارش شما فردا صبح ارسال می‌شود.
.
.در پنجشنبه ۵ آذر ۱۴۰۵ ساعت ۱۶:۱۱ رضا <reza@anbar.example> نوشت:
.
-> سفارش من چه زمانی ارسال می‌شود؟
=== hi, between the lines|Re: किराया
.26 नवंबर 2026 को 4:11 PM को रवि <ravi@makaan.example> ने लिखा:
.
-> इस महीने का किराया कब देंगे?
+कल सुबह तक दे दूँगा।
-> और पानी का बिल कितना आया?
+पानी का बिल चार सौ रुपये है।
=== th, header lines with a Buddhist year|RE: ใบเสนอราคา
+ส่งใบเสนอราคาให้แล้วเมื่อเช้านี้
.
.จาก: สมชาย ใจดี <somchai@ran.example>
.ส่ง: พฤหัสบดี 26 พฤศจิกายน 2569 16:11
.ถึง: box@mail.localhost
.เรื่อง: ใบเสนอราคา
.
-ขอใบเสนอราคาสำหรับโต๊ะสิบตัวด้วยครับ
=== tr, attribution that ends in yazdı|Ynt: toplantı
+Toplantıya iki kişi geliyoruz.
.
.Ann Kaya <ann@ofis.example>, 26 Kas 2026 Per, 16:11 tarihinde şunu yazdı:
.
-> Toplantıya kaç kişi geliyorsunuz?
=== vi, a quotation in a first mail|Câu hay trong sách|first
+Chào Hoa,
+
+mình vừa đọc được đoạn này:
+
+> Đường dài mới biết ngựa hay,
+> ở lâu mới biết lòng người.
+
+Bạn thấy sao?
=== id, marks without a space|Re: pengiriman
.Pada tanggal Kam, 26 Nov 2026 pukul 16.11 Budi <budi@gudang.example> menulis:
->Kapan barang dikirim dari gudang?
->Kami tunggu sampai Jumat.
.
+Barang dikirim hari ini juga.
+Nomor resinya menyusul.
=== fi, a signature above the quote|Vs: vuokra
+Vuokra on maksettu eilen.
.
.-- 
.Aino Laine
.Huoltoyhtiö Laine
.
.to 26. marrask. 2026 klo 16.11 Pekka (pekka@talo.example) kirjoitti:
.
-> Onko marraskuun vuokra maksettu?
=== hu, questions and answers of the sender|Re: adatok
+Itt vannak az adatok:
+
+Név: Kiss Anna
+E-mail: anna@bolt.example
+Időpont: 2026. november 26. 16:11
+Hely: Győr, Fő utca 3.
+
+A többit holnap küldöm.
=== el, a journey|Re: ταξίδι
+Αυτό είναι το ταξίδι:
+
+Από: Αθήνα
+Προς: Θεσσαλονίκη
+E-mail: nikos@taxidi.example
+Ημερομηνία: 26/11/2026 16:11
+Θέση: 14B
+
+Να κλείσω;
=== sv, a law with its address|Sv: hyran|html
+<p>Det här står i lagen:</p>
+<blockquote cite="https://lagen.example/hyra"><p>Hyran ska betalas i förskott varje månad.</p></blockquote>
+<p>Så det gäller även garaget.</p>
=== da, a quotation of a blog|Nyt fra bloggen|first,html
+<p>Vi fandt en sætning, som vi holder af:</p>
+<blockquote class="wp-block-quote"><p>Havet glemmer aldrig en båd.</p></blockquote>
+<p>Læs resten i morgen.</p>
=== ro, Roundcube without an address|Re: chei
.Pe 26.11.2026 16:11, Ana Pop a scris:
-> Unde sunt cheile de la depozit?
-> Le caut de ieri.
.
+Cheile sunt la portar, în plic.
+Întreabă de Mihai.
=== bg, ABV|Re: доставка
+Доставката идва утре преди обед.
.
. -------- Оригинално писмо --------
. От: Иван Петров ivan@sklad.example
. Относно: доставка
. До: <box@mail.localhost>
. Изпратено на: 26.11.2026 16:11
.
-Кога да очакваме доставката?
=== sr, below the quote with a signature|Odg: termin
.Dana 26.11.2026. u 16:11, Marko <marko@sala.example> piše:
.
-> Da li je termin u petak slobodan?
-> Treba nam sala do deset.
.
+Termin je slobodan do devet.
+Posle toga zatvaramo.
.
.-- 
.Jelena
=== lt, initials before the mark|Re: raktai
.2026 m. lapkričio 26 d., ketvirtadienis, 16:11:20, jūs rašėte:
.
-JK> Kur padėjote raktus nuo sandėlio?
-JK> Man jų reikia rytoj.
.
+Raktai pas budėtoją.
=== en, bars|Re: roof
+The roofer comes on Tuesday at eight.
.
.On Thu, 26 Nov 2026 at 16:11:20 +0000, Ann Lee <ann@roof.example> wrote:
.
-| When does the roofer come?
-| We have to open the gate for him.
=== en, answers in red|RE: questions|html
+<p>Please see my answers in red.</p>
.<hr><div id="divRplyFwdMsg"><b>From:</b> Ann Lee &lt;ann@roof.example&gt;<br><b>Sent:</b> Thursday, November 26, 2026 4:11 PM<br><b>To:</b> box@mail.localhost<br><b>Subject:</b> questions</div><div>
-<p>How many tiles did the workers break on Monday?</p>
+<p><span style="color:red">Eleven, all on the north side.</span></p>
-<p>Who pays for the scaffold that stays until spring?</p>
+<p><span style="color:red">We do, as agreed.</span></p>
-<p>Thank you for a short answer to both questions.</p></div>
=How many tiles did the workers break on Monday?
=Who pays for the scaffold that stays until spring?
=Thank you for a short answer to both questions.
=== et, an answer in the frame of the quote|Vs: koosolek|html
+<p>Vastasin allpool.</p>
.<blockquote type="cite"><div>26. nov 2026, kell 16:11, Mart &lt;mart@kool.example&gt; kirjutas:</div>
-<p>Mis kell koosolek neljapäeval algab?</p>
+<p><font color="blue">Kell viis, saalis.</font></p>
-<p>Kas peame midagi kaasa võtma?</p></blockquote>
=Mis kell koosolek neljapäeval algab?
=Kas peame midagi kaasa võtma?
=== de, GMX|Aw: Heizung|html
+<div>Der Monteur kommt am Dienstag um acht.</div>
.<div><div name="quote" style="margin:10px 5px 5px 10px;border-left:2px solid #C3D9E5"><div style="margin:0 0 10px 0"><b>Gesendet:</b> Donnerstag, 26. November 2026 um 16:11 Uhr<br/><b>Von:</b> "Uli Kern" &lt;uli@haus.example&gt;<br/><b>An:</b> box@mail.localhost<br/><b>Betreff:</b> Heizung</div>
-<div name="quoted-content">Wann kommt der Monteur für die Heizung?</div></div></div>
=== fr, header lines in the marks|RE: devis
+Le devis est parti ce matin par la poste.
.
.> Message du 26/11/26 16:11
.> De : "Luc Roy" <luc@toit.example>
.> A : box@mail.localhost
.> Objet : devis
.>
-> Quand recevrons-nous le devis du toit ?
=== fr, what a machine wrote|Re: panne
+Voici ce que dit la machine.
+
+Le 26 novembre 2026 à 16h11 le serveur a écrit :
+
+- disque plein
+- sauvegarde arrêtée
+
+Que faut-il faire ?
=== hr, a postscript below the quote|Odg: ključevi
+Ključevi su kod susjede.
.
.On 26.11.2026. 16:11, Ivo <ivo@stan.example> wrote:
-> Gdje su ključevi od podruma?
.
+P.S. Susjeda je kod kuće do osam.
=== sk, a sign of more in a list|Re: meranie
+Namerali sme toto:
+
+>90 % vzoriek prešlo,
+zvyšok pôjde na ďalšiu skúšku.
+
+Prosím o potvrdenie.
=== en, a headline between marks|Re: notice
+Put this on the door:
+
+>>> CLOSED UNTIL NOON <<<
+
+Thanks.
=== ca, a difference of two files|Re: configuració
+Només canvia una línia:
+
+3c3
+< port = 25
+---
+> port = 2525
+
+La resta queda igual.
=== pt, a saying in an answer, cited with its source|Res: frase|html
+<p>A frase certa é esta:</p>
+<blockquote class="blockquote"><p>Água mole em pedra dura tanto bate até que fura.</p></blockquote>
+<p>Pode imprimir assim.</p>
=== is, a thread whose quote was wrapped anew|Re: bátur
+Báturinn kemur á fimmtudag.
.
-Hvenær kemur báturinn aftur
-í höfn, og hver sækir
-fiskinn á bryggjuna?
=Hvenær kemur báturinn aftur í höfn, og hver sækir fiskinn á bryggjuna?
=== sw, no marks, thread known|Jibu: mzigo
+Mzigo utafika kesho asubuhi.
.
.Tarehe 26 Novemba 2026, Juma aliandika hivi
.
-Mzigo wangu utafika lini Mombasa?
-Naomba namba ya dereva pia.
=Mzigo wangu utafika lini Mombasa?
=Naomba namba ya dereva pia.
=== ka, a first mail with a fence of marks|წესები|first
+გამარჯობა,
+
+> ჭიშკარი იკეტება ათზე.
+
+> ძაღლები მხოლოდ თასმით.
+
+გმადლობთ.
=== en, a smile at the start of a line|Re: cake
+The cake fell on the floor again.
+>:( That makes three this week.
+I will buy one.
=== bn, a form in an answer|Re: আবেদন
+আবেদনের তথ্য নিচে দিলাম:
+
+নাম: রহিম উদ্দিন
+ইমেইল: rahim@office.example
+তারিখ: ২৬/১১/২০২৬
+ঠিকানা: ঢাকা
+
+দয়া করে দেখে জানাবেন।
`;

export type WrittenReply = {
  name: string;
  subject: string;
  answers: boolean;
  text?: string;
  html?: string;
  own: string[];
  quoted: string[];
  earlier: string;
};

const ENTITIES: [RegExp, string][] = [
  [/<[^<>]*>/g, ""],
  [/&nbsp;/g, " "],
  [/&lt;/g, "<"],
  [/&gt;/g, ">"],
  [/&amp;/g, "&"],
];

function readReply(block: string): WrittenReply {
  const [head = "", ...written] = block.split("\n");
  const [name = "", subject = "", options = ""] = head.split("|");
  const lines = written.filter((line) => line !== "");
  const isHtml = options.includes("html");
  const of = (sign: string) => lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1));
  const seen = (sign: string) =>
    of(sign)
      .map((line) => (isHtml ? ENTITIES.reduce((text, [from, to]) => text.replace(from, to), line) : line).trim())
      .map((line) => (sign === "-" ? line.replace(/^(?:\p{Lu}{0,3}[>＞]|\|)\s*/u, "") : line))
      .filter((line) => line !== "");
  const body = lines
    .filter((line) => !line.startsWith("="))
    .map((line) => line.slice(1))
    .join("\n");
  const base = { name, subject, answers: !options.includes("first"), own: seen("+"), quoted: seen("-") };
  return { ...base, earlier: of("=").join("\n"), ...(isHtml ? { html: body } : { text: body }) };
}

const isHeldBack = (name: string) => ((createHash("sha256").update(name).digest()[0] ?? 0) & 1) === 1;

/** Rules are made on those that are not held back. */
export function writtenReplies(half: "tuned" | "held back"): WrittenReply[] {
  const replies = WRITTEN.trim().replace(/^=== /, "").split("\n=== ").map(readReply);
  return replies.filter(({ name }) => isHeldBack(name) === (half === "held back"));
}
