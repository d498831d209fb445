// Mails in many languages, written by hand: the half that nothing was fitted to, and whose misses are not looked at.

/** A line `=== name|from|subject|code` before each mail, `-` for none. */
export const WRITTEN_HELD_BACK = `
=== mg, order (no list has it)|info@tsena.example|Baiko 204418|-
Misaotra anao nividy. Baiko laharana 204418, vola 45 000 Ar. Antso: 034 55 501 20.
=== ms, bank|noreply@bank-my.example|TAC|801447
RM0.00 TAC anda ialah 801447 untuk log masuk pada 03/05 10:14. Jangan dedahkan kepada sesiapa.
=== sw, receipt|risiti@duka.example|Risiti|-
Asante kwa ununuzi wako. Risiti namba 204418, jumla TSh 45,000. Tarehe 03/05/2026.
=== en, three words|hello@notebook.example|Log in to Notebook|plum-harbor-saddle
Hi,

You asked to log in to Notebook. Paste this temporary login code:

plum-harbor-saddle

If you didn't try to log in, you can safely ignore this mail.
=== lv, shop|info@veikals.example|Pasūtījums 104482 apstiprināts|-
Sveiki! Pasūtījums Nr. 104482, kopā 58,90 €. Piegāde 2 darba dienu laikā. Tālr. 6755 5010.
=== id, shop|no-reply@belanja.example|Kode OTP Kamu|204933
<p>Hai Budi,</p><p>Ini kode OTP kamu:</p><p><strong style="font-size:22px">204933</strong></p><p>Kode berlaku 3 menit. Jangan kasih tahu siapa-siapa, termasuk pihak Belanja.</p>
=== sl, code|ne-odgovarjaj@storitev.example|Prijava v Storitev|193882
Enkratno geslo za prijavo: 193 882
=== da, shop|hej@butik.example|Tak for din ordre|-
<p>Hej Søren</p><p>Ordre <b>100482913</b> er modtaget.</p><table><tr><td>Vare 40218</td><td>2 stk.</td><td>398,00 kr.</td></tr></table><p>CVR 29403812</p>
=== en, two-step enabled|security@vault.example|Two-step verification is on|-
You turned on two-step verification on May 3, 2026 at 10:14 (device 48291). From now on you will need a code whenever you sign in. Case 10482913.
=== my, wallet|noreply@pite.example|ကုဒ်|609124
သင့်အတည်ပြုကုဒ်မှာ 609124 ဖြစ်ပါသည်။ မည်သူ့ကိုမျှ မပေးပါနှင့်။
=== vi, bank, no accents|alerts@nganhang.example|Thong bao|593820
Quy khach dang thuc hien chuyen khoan 2,500,000 VND. Ma OTP cua Quy khach la 593820, het han sau 2 phut. Tuyet doi KHONG cung cap ma nay cho bat ky ai. LH 19001234
=== km, bank|noreply@bank-kh.example|លេខកូដ|448102
លេខកូដផ្ទៀងផ្ទាត់របស់អ្នកគឺ 448102។ មានសុពលភាព 5 នាទី។
=== tl, app|no-reply@padala.example|Verification|559203
Huwag ibahagi ang iyong code. 559203 ang iyong verification code sa Padala.
=== pt-BR, delivery|oi@entrega.example|Seu pedido chegou|-
Pedido #48291 entregue às 12:40. Total R$ 58,90. Avalie o entregador. CNPJ 12.345.678/0001-90.
=== el, government|noreply@gov-gr.example|Κωδικός μίας χρήσης|204518
Πληκτρολογήστε τον κωδικό 204 518 στη σελίδα σύνδεσης. Ο κωδικός λήγει σε 4 λεπτά.
=== th, bank|noreply@thanakan.example|แจ้งรหัส OTP|662914
รหัส OTP ของท่านคือ 662914 (Ref: KXQP) กรุณาทำรายการภายใน 3 นาที ห้ามเปิดเผยแก่ผู้อื่น
=== ka, bank|no-reply@banki.example|ერთჯერადი კოდი|5520
თქვენი ერთჯერადი კოდია: 5520
არ გაუზიაროთ სხვას
=== so, app (no list has it)|noreply@app-so.example|Gelitaan|558201
Koodhka xaqiijinta waa 558201. Ha la wadaagin cidna.
=== hr, invoice|racuni@telekom.example|Račun za travanj|-
Poštovani, račun broj 48291-1-2026 u iznosu 32,50 € dospijeva 20.05.2026. Poziv na broj 5520981.
=== en, newsletter with years|news@history.example|On this day|-
In 1492 and 1776 things changed. 4,821 of you answered our quiz. Use HISTORY15 for 15% off until May 30. Unsubscribe any time.
=== en, dial-in|no-reply@conference.example|Dial-in details|-
Dial +1 646 555 0190, conference ID 482 913 77#, PIN 20418. The call starts at 14:30.
=== da, municipality|noreply@kommune.example|Kode til selvbetjening|910447
Hej Mette. Tast 910 447 for at fortsætte. Koden udløber om 20 minutter.
=== pl, concert|bilety@koncert.example|Twoje bilety|-
Zamówienie 55120938, sektor B, rząd 12, miejsca 14-15. Kod kreskowy 4829 1377 1020. Razem 358,00 zł.
=== cs, parcel locker|info@zasilky.example|Vaše zásilka čeká|402918
Zásilka Z 482 9137 710 je připravena k vyzvednutí. Heslo pro výdej: 402918. Vyzvedněte ji do 10.05.2026.
=== cs, bank|noreply@banka.example|Potvrzení platby|814402
Platba 1 250,00 Kč na účet 123456789/0800. Pro potvrzení zadejte v aplikaci kód 81 44 02. Platnost kódu je 5 minut.
=== ta, bank|noreply@vangi.example|OTP|338190
உங்கள் பரிவர்த்தனைக்கான OTP 338190. யாருடனும் பகிர வேண்டாம். 10 நிமிடங்களில் காலாவதியாகும்.
=== is, bank|svarid-ekki@banki-is.example|Öryggisnúmer|482019
Öryggisnúmerið þitt er 482 019. Það gildir í 5 mínútur.
=== pl, transfer|bank@bankowosc.example|Kod SMS|118204
Operacja nr 3 z dn. 2026-05-03. Przelew z rachunku 12...4417 na rachunek 55...0098, kwota 250,00 PLN. Kod SMS: 118204
=== be, mail|noreply@poshta-by.example|Уваход|553019
Ваш код для ўваходу: 553 019. Ён дзейнічае 10 хвілін.
=== nb, app|no-reply@appen.example|Bekreft nummeret|0583
Skriv inn 0583 i appen for å bekrefte.
=== el, electricity bill|bill@revma.example|Λογαριασμός Μαΐου|-
Αγαπητέ πελάτη, ο λογαριασμός σας με αριθμό 1004482913 εκδόθηκε. Ποσό πληρωμής: 84,20 €. Κωδικός ηλεκτρονικής πληρωμής: RF12904820000012345678.
=== ne, bank|noreply@bank-np.example|ओटिपी|660291
तपाईंको ओटिपी 660291 हो। कसैलाई नदिनुहोस्।
=== sq, bank|noreply@banka-al.example|Hyrje|771093
Kodi juaj OTP: 771093. Mos e tregoni.
=== de, bill|kundenservice@gas.example|Ihre Abrechnung|-
Zählernummer 48291377, Zählerstand 20418, Verbrauch 1.284 kWh. Nachzahlung 84,20 €. Kundennummer 5520981.
=== ja, game|no-reply@asobi.example|ワンタイムパスワードのお知らせ|K7QX2M
いつもご利用ありがとうございます。

K7QX2M

上記を30分以内に画面へご入力ください。
=== en, sms-like|sms@relay.example|New text from 22395|904417
G-904417 is your Goggle verification code. Don't share it.
=== ar, wallet|no-reply@mahfaza.example|رمز الدخول لمرة واحدة|90412
عزيزي العميل، استخدم الرمز 90412 لإتمام عملية الدخول. الرمز صالح لمدة 5 دقائق. لا تشاركه مع أحد. 920033344
=== cs, parking fine|urad@mesto.example|Výzva k úhradě|-
Č. j. 48291/2026, variabilní symbol 20264829, částka 500 Kč. Uhraďte do 15 dnů. Tel. 224 555 010.
=== uk, site|noreply@sait.example|Код 3306|3306
Щоб завершити реєстрацію на Сайті, введіть 3306 у вікно підтвердження.
=== es, gym|hola@gimnasio.example|Tu clave de la taquilla|-
Tu reserva 55120 está lista. Clase a las 19:00, sala 4. Trae 2 toallas. C.P. 28013.
=== he, bank|noreply@bankli.example|סיסמה חד פעמית|418227
לקוח יקר, הסיסמה החד-פעמית שלך לכניסה לאתר היא 418227. תוקפה 3 דקות. לתשומת לבך, נציגי הבנק לעולם לא יבקשו ממך את הסיסמה.
=== de, six digits in a table|noreply@krankenkasse.example|Ihre Anmeldung|640115
<table width="600"><tr><td><p>Sehr geehrte Frau Özdemir,</p><p>für die Anmeldung benötigen Sie nur noch diese sechs Ziffern:</p></td></tr><tr><td align="center" bgcolor="#eef3f8"><span style="font-size:30px">640&nbsp;115</span></td></tr><tr><td>Vorgang 2026-0048291 · Service 0800 482 913</td></tr></table>
=== vi, shop order|cskh@muasam.example|Đơn hàng 8842017 đã được giao|-
Xin chào chị Lan, đơn hàng 8842017 đã được giao lúc 14:20 ngày 03/05/2026. Tổng tiền 450.000 đ. Hotline 1900 6035.
=== hi, train|rail@yatra.example|टिकट बुक हो गया|-
प्रिय यात्री, आपका पीएनआर 4829137710 है। गाड़ी 12951, कोच B4, सीट 32। किराया ₹1,845.
=== ru, taxi|noreply@taksi.example|Поездка завершена|-
Спасибо за поездку! Стоимость 412 ₽, 14 мин, номер машины А482ВС 77. Чек 20260503-88213.
=== am, bank|noreply@bank-et.example|ማረጋገጫ|330915
የማረጋገጫ ኮድዎ 330915 ነው። ለማንም አይስጡ።
=== hi, wallet|alerts@bhugtan.example|OTP|884120
आपके लेन-देन के लिए ओटीपी 884120 है। यह 5 मिनट में समाप्त हो जाएगा। इसे किसी को न बताएं। - भुगतान
=== ko, bank|noreply@eunhaeng.example|[은행] 인증|772019
[Web발신] [은행] 인증번호 [772019]를 입력해주세요.
=== si, bank|noreply@bank-lk.example|OTP|118830
ඔබේ OTP අංකය 118830. කිසිවෙකුට නොකියන්න.
=== zh, flight|service@jipiao.example|行程确认|-
您的订单 8829137710 已出票，航班 MU5105，票号 781-2489137710，金额 ¥1,280。客服 95530。
=== ja, shop|order@mise.example|ご注文ありがとうございます|-
注文番号：250-4829137-7102055、お支払い金額：4,980円、お届け予定：5月12日。お問い合わせ 0120-482-913
=== eo, order (no list has it)|vendejo@libroj.example|Mendo 48291|-
Dankon pro via mendo 48291. Sumo: 24,50 €. Ni sendos la librojn ene de 5 tagoj.
`;
