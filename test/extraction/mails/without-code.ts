// Mails without a one-time code in many languages, written by hand: coupons, tickets, bookings, codes that were sent elsewhere. The half that
// the weights are fitted to. A random choice put the other half into `../held-back/`.

/** A line `=== name|from|subject|-` before each mail. */
export const WITHOUT_CODE = `
=== nl, coupon alone|actie@tuinwereld.example|Jouw verjaardagscadeau|-
<p>Gefeliciteerd Sanne!</p><p>Met deze code krijg je gratis verzending:</p><h2>FEEST26</h2><p>Tot en met 12 december.</p>
=== es, release of a bank app|novedades@banco.example|Versión 8.4.1|-
La compilación 482031 mejora la seguridad del acceso. Verifique que tiene la versión 8.4.1 o posterior.
=== ja, salon|yoyaku@biyou.example|ご予約の確認|-
ご予約番号：4820117
日時：12月9日（水）13:00
所要時間：60分
場所：〒150-0002 東京都渋谷区渋谷2-1-1
=== nl, parking|parkeren@stad.example|Parkeersessie gestart|-
Zonecode 30512, kenteken K-448-TP, start 10:12, maximaal 120 minuten.
=== ro, ticket|suport@net-ro.example|Solicitarea ta|-
Bună, solicitarea a fost înregistrată cu numărul 903114. Te contactăm în 24 de ore.
=== fr, recipe|cuisine@recettes.example|La recette du jour|-
Four à 180 °C pendant 30 minutes. Pour 4 personnes, 250 g de farine. Code barre du moule : 3560070.
=== hu, hotel|foglalas@hotel-hu.example|Foglalás visszaigazolása|-
Foglalási kód: RQ8M2L
Érkezés: 2026.12.11. 14:00
Távozás: 2026.12.13. 10:00
Összesen: 68 400 Ft
=== en, never share|tips@bankwise.example|Keep your codes safe|-
We will never call to ask for your verification code. Last year 48213 customers reported such calls. Report one at 7726.
=== en, zip code|offers@movers.example|Moving to a new zip code?|-
We now serve zip code 94110 and area code 415. Enter your zip code for a quote within 10 minutes.
=== sv, dentist|kallelse@klinik.example|Din tid är bokad|-
Hej!

Välkommen till oss 2026-12-08 kl. 09:15.
Besöksadress: Kungsgatan 4, 411 19 Göteborg
Behöver du avboka? Ring 031-700 44 10.
=== th, flight|booking@sayam-air.example|ยืนยันการจอง|-
รหัสการจอง: M4KTRW
เที่ยวบิน SA 208 วันที่ 03/12/2026 เวลา 09:25
ราคา 2,450 บาท
=== es, complaint|reclamaciones@agua.example|Reclamación n.º 448120|-
Estimado cliente: hemos registrado su reclamación con el número 448120. Responderemos en 15 días.
=== en, sent by text|no-reply@cardly.example|Check your phone|-
We sent a 6-digit code by text message to the number ending in 2918. Enter it in the app to continue.

Reference 5540127
=== en, tracking|track@parcelgo.example|Your parcel is on its way|-
Tracking code:
7720 4418 2203
Estimated delivery: Thursday
=== de, password changed|konto@portal.example|Ihr Passwort wurde geändert|-
Ihr Passwort wurde am 27.11.2026 um 10:14 geändert. Kundennummer 5518203. Waren Sie das nicht? Rufen Sie 0800 4471000 an.
=== es, sent to the phone|no-responder@cartera.example|Inicio de sesión en curso|-
Enviamos un código de 6 dígitos por SMS al teléfono terminado en 5518. Introdúcelo en la aplicación.
=== fi, ticket|tuki@laite.example|Tukipyyntö [772310]|-
Hei, tukipyyntösi on kirjattu numerolla 772310. Vastaamme 24 tunnin kuluessa.
=== zu, delivery (no list has it)|info@isitolo-zu.example|Iphakheji yakho|-
Iphakheji yakho 771204 isendleleni. Ingena ngomhla ka-3/12/2026. Inani R450.00.
=== ru, promo number|promo@apteka.example|Скидка на день рождения|-
<p>Дарим вам скидку 15%.</p><p>Промокод:</p><div style="border:1px dashed #090;font-size:28px">884120</div><p>Действует 7 дней в любой аптеке сети.</p>
=== xh, ticket (no list has it)|uncedo@inkampani.example|Isicelo sakho|-
Isicelo sakho sibhaliswe ngenombolo 662104. Siza kuphendula kwiiyure ezingama-48.
=== en, exam|exams@certify.example|Exam registration confirmed|-
Candidate ID: 448213
Exam: AZ-204
Date: 12 December 2026, 13:00
Room: 2.14
=== nl, tracking|bezorging@pakket.example|Je pakket komt vandaag|-
Je pakket 3SABC48213 komt tussen 14:20 en 16:20. Volgcode 88120345. Postcode 3511 AB.
=== ha, order (no list has it)|info@kasuwa.example|Oda 448120|-
Mun karɓi odarka mai lamba 448120. Jimla naira 4,500. Za ta iso ranar 3/12/2026.
=== id, train|tiket@kereta.example|E-tiket Anda|-
Kode booking: 7HQWZK
Kereta Argo 12, 05/12/2026 08.15, Gambir - Bandung
Kursi EKS-3/7A
Harga Rp 150.000
=== pl, sent to the phone|nie-odpowiadaj@portfel.example|Logowanie|-
Wysłaliśmy 6-cyfrowy kod SMS-em na numer kończący się na 4402. Wpisz go w aplikacji.
Sprawa nr 118820
=== ru, clinic|info@klinika.example|Результаты анализов|-
Результаты готовы. Номер заявки 55820314, дата 26.11.2026. Телефон 8 800 555-35-35.
=== zh, coupon|service@chaye.example|您的优惠券已到账|-
亲爱的会员：优惠码 TEA2026 已发放到您的账户，满200元可用，有效期至12月31日。
=== en, release|releases@toolbox.example|Toolbox 2026.11 is out|-
Build 604817 fixes sign-in on Linux. SHA 4f9a02c. Verified on kernel 6.1.0-28. See issue 51882.
=== en, source code|dev@team.example|Review of the code in module 4821|-
The code in line 48213 returns 50012 when login fails. Can you verify it with input 7120?
=== tr, coupon by text|kampanya@giyim.example|Size özel indirim|-
Sepette KIS25 kodunu kullanın, 250 TL üzeri alışverişte %25 indirim kazanın. Son gün 30.11.2026.
=== ka, parcel|info@amanati.example|ამანათი|-
ამანათის ნომერი: 88213044
წონა: 1.2 კგ
თანხა: 12.50 ₾
=== de, error report|monitor@rechenzentrum.example|Fehlercode 50013 auf web-03|-
Der Dienst antwortet mit Fehlercode 50013. Anmeldung nicht möglich seit 10 Minuten. PID 448213.
=== it, report to the service desk|assistenza@comune.example|Segnalazione ricevuta #55102|-
Gentile utente, la sua segnalazione è stata registrata con il numero 55102. La ricontatteremo entro 48 ore.
=== de, meter reading|zaehler@stadtwerke.example|Bitte Zählerstand mitteilen|-
Zählernummer 30771822. Geben Sie den Stand bis 15.12. online ein. Zugangsdaten finden Sie in Ihrer letzten Rechnung.
=== it, queue|prenotazioni@asl.example|Prenotazione confermata|-
Prenotazione confermata. Numero di prenotazione 77120348, sportello 4, ore 08:40, via Roma 12, 10121 Torino.
=== ru, sent by text|noreply@koshelek.example|Вход в кабинет|-
Мы отправили код из 6 цифр на номер, который заканчивается на 3817. Введите его в приложении. Обращение 440219.
=== pl, voucher|sklep@zielarnia.example|Kupon dla Ciebie|-
Dzień dobry,
Kod rabatowy: ZIMA30
Wpisz kod w koszyku. Rabat 30 zł przy zakupach od 150 zł, do 15.12.2026.
=== de, appointment at an office|termine@buergeramt.example|Terminbestätigung|-
Ihr Termin: Dienstag, 08.12.2026, 10:40 Uhr
Vorgangsnummer: 88213
Wartenummer: M107
Bürgeramt Mitte, Karl-Liebknecht-Str. 8, 10178 Berlin
=== ta, order|udhavi@kadai.example|ஆர்டர் உறுதி|-
உங்கள் ஆர்டர் எண் 5520418 உறுதி செய்யப்பட்டது. மொத்தம் ₹899.
=== sr, utility|racuni@voda.example|Рачун за воду|-
Шифра потрошача: 5518203
Износ: 1.842,00 дин
Рок: 15.12.2026.
=== en, referral|team@ridewell.example|Give 10, get 10|-
Hi Sam,

Share your code ANNA-7Q2 with friends. They get $10 off their first ride and so do you.
=== pt, vaccination|agenda@saude.example|Vacinação agendada|-
Olá Rita,
Data: 04/12/2026
Hora: 11:30
Local: Rua do Sol 18, 4000-527 Porto
Utente: 298711045
=== es, gift card|regalos@tienda.example|Has recibido una tarjeta regalo|-
<p>¡Hola Marta!</p><p>Pablo te ha enviado una tarjeta regalo de 50 €.</p><p>Código de la tarjeta:</p><p style="font-size:26px;font-weight:bold">GX7K-22PQ-M9TR</p><p>Úsala en cualquiera de nuestras tiendas.</p>
=== de, coupon in a box|news@schuhhaus.example|Nur heute: 15 % auf alles|-
<p>Hallo Jana,</p><p>Ihr Gutscheincode für die Kasse:</p><div style="border:2px dashed #c00;font-size:30px;text-align:center;padding:12px">HERBST15</div><p>Gültig bis 30.11.2026 ab 40 € Bestellwert.</p>
=== lb, invoice (no list has it)|info@buttek.example|Är Rechnung|-
Rechnungsnummer: 4821304
Betrag: 58,20 €
Ze bezuelen bis den 15.12.2026
=== en, code was used|no-reply@vaulty.example|New sign-in with a one-time code|-
Someone signed in with a one-time code at 10:14 from 198.51.100.7. If this wasn't you, call 0800 555 0142. Event 9938271.
=== de, lab result|labor@praxis.example|Befund liegt vor|-
Auftragsnummer 4471-8820. Probe vom 25.11.2026. Sie erreichen uns unter 030 4482910.
=== fr, payment|comptes@banque.example|Virement confirmé|-
Votre virement de 250,00 € est confirmé. Référence 8820415. Exécution le 28/11/2026.
=== sv, sent by letter|noreply@myndighet.example|Din kod är på väg|-
Vi har skickat koden med brev till din folkbokföringsadress. Den kommer inom 5 dagar. Ärende 448-2031.
=== en, petition|news@petitions.example|482,913 people signed|-
482913 people have signed. Confirmed signatures: 471204. Can we reach 500000 by Friday?
=== vi, order|donhang@cho.example|Xác nhận đơn hàng|-
Đơn hàng 88201537 đã được xác nhận. Dự kiến giao 02/12/2026. Tổng 560.000 đ
=== en, new device|security@mailhub.example|New sign-in to your account|-
Device: Firefox on Linux
Location: Tallinn
IP: 203.0.113.77
Time: 10:12
Session: 48213377
=== pt, bank slip|cobranca@energia.example|Sua conta chegou|-
Código do cliente: 4471820
Vencimento: 10/12/2026
Valor: R$ 134,90
=== lv, appointment|pieraksts@klinika-lv.example|Vizītes atgādinājums|-
Vizīte 2026. gada 8. decembrī plkst. 10:30
Adrese: Brīvības iela 12, LV-1010 Rīga
Pieraksta numurs 44820
=== no, car service|verksted@bil.example|Påminnelse om time|-
Du har time for EU-kontroll 7. desember kl. 08:00. Reg.nr. EK 48213. Storgata 12, 0184 Oslo.
`;
