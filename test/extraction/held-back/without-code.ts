// Mails without a one-time code in many languages, written by hand: the half that nothing was fitted to, and whose misses are not looked at.

/** A line `=== name|from|subject|-` before each mail. */
export const WITHOUT_CODE_HELD_BACK = `
=== ru, train|bilet@poezd.example|Ваш билет|-
Номер брони: 72SKQL
Поезд 016А, вагон 7, место 23
Отправление 02.12.2026 21:45
Цена 3 412 ₽
=== sq, order|porosi@dyqan.example|Porosia u konfirmua|-
Porosia juaj 5518204 u konfirmua. Totali 2,400 lekë. Dorëzimi më 3.12.2026.
=== pt, sent by call|nao-responda@carteira.example|Confirme no telefone|-
Você receberá uma ligação no número com final 6610 com o código de 6 dígitos. Protocolo 20261127553.
=== ja, coupon|info@hana-mise.example|【本日限定】クーポンのお知らせ|-
お会計時に次のクーポンコードを入力してください。

HANA500

500円引き、有効期限は12月24日です。
=== en, log alert|alerts@uptime.example|[ALERT] auth-service: 5xx above 2%|-
auth-service login errors: 4821 in 10 minutes
request id 7f3a91c2
dashboard https://grafana.example/d/88231
=== lt, order|info@knygynas.example|Užsakymas patvirtintas|-
Jūsų užsakymas 482031 patvirtintas. Suma 23,50 €. Pristatysime per 2 darbo dienas.
=== he, parcel|info@doar.example|עדכון משלוח|-
מספר משלוח: 88213041
תאריך: 01/12/2026
סכום: 35.00 ₪
=== en, race|info@cityrun.example|Your start number|-
Hi Kim, your registration for the City Run is confirmed. Bib number 4821, start wave C at 09:30.
=== es, student|secretaria@uni.example|Matrícula confirmada|-
Tu matrícula está confirmada. Código de estudiante: 20264418. Grupo B12, aula 304.
=== es, order|pedidos@huerta.example|Pedido 5102931 confirmado|-
Gracias, Elena. Tu pedido 5102931 está confirmado y llegará el 3/12/2026. Total 38,40 €.
=== sv, parking|info@parkering.example|Din parkering har startat|-
Områdeskod 4821, reg.nr. ABC 12D. Avslutas automatiskt efter 120 minuter.
=== ar, hotel|hajz@funduq.example|تأكيد الحجز|-
رقم الحجز: 5520418
تاريخ الوصول: 12/12/2026
عدد الليالي: 3
المبلغ: 1,250 ريال
=== uk, request|dopomoga@poslugy.example|Звернення зареєстровано|-
Ваше звернення зареєстровано за номером 518203. Термін розгляду 10 днів.
=== en, statistics|weekly@analytics.example|Your week in numbers|-
Visitors
48213
Sign-ups
1204
Sign-in rate
61%
=== fr, doctor|rappel@sante.example|Rappel de votre rendez-vous|-
Rendez-vous avec le Dr Petit le 09/12/2026 à 17h20, 14 rue des Lilas, 69003 Lyon.
Code de la porte : demandez-le à l'accueil. Durée : 20 minutes.
=== en, customer number|hello@gymclub.example|Welcome to GymClub|-
Your membership is activated.

Member number: 5518-2040

Show it at the front desk.
=== pl, invoice|faktury@prad.example|Faktura 11/2026/48213|-
Numer faktury: 11/2026/48213
Kod klienta: 5520318
Kwota: 182,40 zł
Termin płatności: 15.12.2026
=== cs, bank statement|vypisy@banka.example|Výpis z účtu|-
Variabilní symbol: 48213001
Částka: 1 250,00 Kč
Datum: 27.11.2026
=== bn, bill|bill@biddyut.example|বিদ্যুৎ বিল|-
গ্রাহক নম্বর: 44718203
পরিমাণ: 1,240 টাকা
শেষ তারিখ: 10/12/2026
=== sw, ticket|msaada@kampuni.example|Ombi lako|-
Ombi lako limesajiliwa kwa namba 448213. Tutakujibu ndani ya saa 24.
=== fr, coupon in text|bonjour@librairie.example|Merci pour votre fidélité|-
Bonjour Luc,

Voici votre code avantage à saisir dans le panier :

LECTURE10

Offre valable jusqu'au 31/12/2026, hors livres neufs.
=== ja, sent by text|no-reply@ginkou.example|認証コードを送信しました|-
ご登録の電話番号（末尾4471）に6桁の認証コードをSMSで送信しました。受付番号 3320918
=== en, case opened|support@homely.example|[Case 00718254] We received your request|-
Hello,

Your request has been registered with number 00718254. An agent will reply within 10 minutes.
=== de, book|info@verlag.example|Ihr Rezensionsexemplar|-
Titel: Sichere Anmeldung im Netz
ISBN 978-3-16-148410-0
Artikelnummer 482031
=== mi, appointment (no list has it)|info@hauora.example|Whakamaumahara|-
Tō wā: 08/12/2026 09:30
Wāhi: 14 Queen Street, Auckland 1010
Nama: 551820
=== fr, file at the insurer|sinistres@assur.example|Votre dossier|-
Madame, votre déclaration a bien été enregistrée sous le numéro 30718825. Merci de le rappeler dans vos échanges.
=== da, parcel shop|info@pakke.example|Din pakke er sendt|-
Pakkenummer: 00570712
Vægt: 2,4 kg
Forventet levering: 1. december
=== fa, ticket|poshtibani@forushgah.example|درخواست شما ثبت شد|-
درخواست شما با شماره 771204 ثبت شد. پاسخ تا 48 ساعت آینده.
=== hi, order|seva@bazaar.example|ऑर्डर की पुष्टि|-
आपका ऑर्डर 7720415 पुष्ट हो गया है। कुल ₹1,299। डिलीवरी 3 दिसंबर तक।
=== mn, bill|medegdel@erchim.example|Цахилгааны төлбөр|-
Хэрэглэгчийн дугаар: 44820317
Төлөх дүн: 45,200₮
Хугацаа: 2026.12.10
=== en, licence plate|parking@citypark.example|Parking session started|-
Zone 48213, plate KX 4471, started 10:12, 60 minutes paid. Cost $3.50.
=== de, postcode game|redaktion@zeitung.example|Was wissen Sie über Ihre Postleitzahl?|-
Geben Sie Ihre Postleitzahl ein, etwa 10178, und erfahren Sie mehr. Code der Redaktion: Qualität.
=== et, ticket|tugi@teenus-et.example|Pöördumine registreeritud|-
Teie pöördumine on registreeritud numbriga 551820. Vastame 24 tunni jooksul.
=== en, pull request|notifications@forge.example|[core/auth] Fix login code expiry (#48213)|-
mira approved these changes.

Commit 9f31c20 changes the code in 12 files. Build 771204 passed in 10 minutes.
=== cs, hairdresser|salon@kadernictvi.example|Připomínka|-
Rezervace na 5. 12. 2026 v 14:00, Husova 12, 602 00 Brno. Trvání 45 minut.
=== cs, helpdesk|podpora@hosting.example|Požadavek 661203 přijat|-
Dobrý den, váš požadavek jsme zaregistrovali pod číslem 661203. Ozveme se do 4 hodin.
=== fr, two-step on|securite@coffre.example|Validation en deux étapes activée|-
La validation en deux étapes est activée depuis le 27/11/2026 à 10:12. Un code vous sera demandé à chaque connexion. Appareil 48213.
=== en, flight|trips@skyways.example|Your itinerary|-
Booking reference: LK7WQ2
Flight SW 1183, 14 Dec 2026 06:40, London to Oslo
Seat 14C
Total: 189.20 GBP
=== ko, hotel|rsv@hotel-kr.example|예약 확인|-
예약코드: H7Q2XM
체크인 2026-12-20 15:00
체크아웃 2026-12-22
결제금액 245,000원
=== en, advisory|advisories@kernelwatch.example|Security advisory 2026-0412|-
Product: webproxy 4.18.2
CVE-2026-31774 (critical)
Fixed in build 482113. Verify your version and restart within 30 minutes.
=== bg, court|registratura@sud.example|Регистрирано заявление|-
Заявлението Ви е регистрирано с номер 48213 от 27.11.2026 г.
=== is, ticket|adstod@thjonusta.example|Erindi móttekið|-
Erindi þitt hefur verið skráð með númerinu 448213. Við svörum innan 24 klst.
=== it, authenticator|sicurezza@servizio.example|Accesso da un nuovo dispositivo|-
Apri l'app di autenticazione e inserisci il codice a 6 cifre mostrato. Accesso richiesto da Torino, IP 203.0.113.44, porta 48213.
=== es, lottery|resultados@loteria.example|Sorteo del jueves|-
Primer premio: 48213
Segundo premio: 77120
Serie 4, fracción 6
=== de, support ticket|hilfe@netzbetrieb.example|[Ticket#2026112710044] Ihre Anfrage|-
Guten Tag,

Ihre Anfrage wurde unter der Nummer 2026112710044 registriert. Wir melden uns innerhalb von 24 Stunden.

Ihr Support
=== en, invoice|billing@cloudhost.example|Invoice 2026-10382|-
Invoice 2026-10382
Amount due: $48.00
Due date: 2026-12-15
Account 5518204
=== ko, inquiry|help@gage.example|문의가 접수되었습니다|-
안녕하세요. 문의번호 20261127-0042로 접수되었습니다. 영업일 기준 2일 내에 답변드리겠습니다.
=== en, sports|scores@stats.example|Final score|-
Attendance 48213. Kick-off 20:45. Possession 61%. Next match code: derby.
=== sk, library card|kniznica@mesto.example|Registrácia v knižnici|-
Vitajte! Vaša registrácia je hotová. Číslo preukazu 482031. Otváracie hodiny 9:00-17:00.
=== tr, bus|bilet@otobus.example|Biletiniz|-
PNR: 6KD4TP
Koltuk 24, Peron 11
İstanbul - Ankara, 01.12.2026 23:30
Ücret 750 TL
=== de, sent by text|noreply@kasse.example|Anmeldung läuft|-
Wir haben Ihnen einen 6-stelligen Code per SMS an die Nummer mit der Endung 7702 gesendet. Bitte geben Sie ihn in der App ein.

Vorgang 8813340
=== hr, tax|obavijest@porezna.example|Potvrda o podnošenju|-
Vaš zahtjev zaprimljen je pod brojem 20264418 dana 27.11.2026. Klasa 410-19/26-01/48213.
=== el, appointment|rantevou@iatreio.example|Υπενθύμιση ραντεβού|-
Το ραντεβού σας: 10/12/2026, 18:30
Διεύθυνση: Ερμού 24, 105 63 Αθήνα
Τηλέφωνο 210 331 2200
=== en, quoted code|anna@friends.example|Re: Re: login|-
It worked, thanks!

> Your sign-in code is 482913.
> It expires in 10 minutes.
=== ar, ticket|daam@sharika.example|تم استلام طلبك|-
تم تسجيل طلبك برقم 662108. سنرد خلال 24 ساعة.
`;
