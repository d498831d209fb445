// Mails of few lines, also in languages of few speakers, written by hand: numbers of persons, tickets and offers that are called codes,
// and codes beside such numbers.

/** A line `=== name|from|subject|code` before each mail, `-` for none. */
export const LABELLED = `
=== da, named in the sentence before|kontor@kolonihaven.example|Din pinkode|6617
Hej Bo,
du har fået en ny pinkode til porten i appen. Den er »6617«, og du skal skifte den ved første login.
=== en, named in the sentence before|desk@riverclub.example|Temporary passcode|20771
Hello member 40018823,

you asked for a temporary passcode. It is "20771" and works once.
=== es, named in the sentence before|ayuda@biblio.example|Clave temporal|5094
Hola, has pedido una clave temporal. Es 5094. Cámbiala cuando entres.
=== de, named in the sentence before|info@verein.example|Einmal-PIN|770314
Sie haben eine Einmal-PIN angefordert. Sie lautet „770314“ und gilt heute.
=== fi, named in the sentence before|asiakas@kirjasto.example|Tilapäinen PIN|3308
Pyysit tilapäistä PIN-koodia. Se on 3308 ja se pitää vaihtaa.
=== pl, named in the sentence before|pomoc@klub.example|Hasło jednorazowe|881402
Poprosiłeś o hasło jednorazowe. Oto ono: 881402. Ważne do końca dnia.
=== en, dotted columns|root@bastion.example|ssh token|40277193
one-time token for bastion
==========================
login .....: oyilmaz (uid 20944)
issued ....: 2026-02-11 08:01:55
token .....: 40277193
valid .....: 120 s
=== en, columns|ops@backup.example|restore PIN|602714
host        nas-04
job         77120
PIN         602714
expires     15 min
=== de, columns|rechenzentrum@uni.example|Einmalkennwort|44910327
Benutzer ......: mweber
Kostenstelle ..: 104418
Einmalkennwort : 44910327
Gültig ........: 30 min
=== fr, columns|noreply@rectorat.example|Code d'accès|905513
Identifiant : jmoreau2
Dossier : 2026-44810
Code d'accès : 905513
=== en, member and ticket|membership@hikers.example|Welcome to the hiking club|-
Your member code: 440182. Keep it, you need it for every hut booking and for the shop.
=== en, staff code|hr@mill.example|Your staff code|-
From Monday your staff code is 104417. Use it on every leave form.
=== en, course code|registrar@college.example|Enrolment confirmed|-
You are enrolled. Course code 440127, room 12, starts 4 March.
=== en, referral|hello@bikes.example|Give 10, get 10|-
<h1>Your code is waiting</h1><div style="font-size:28px;border:2px dashed #888">PETRA-2094</div><p>Friends who ride with it get $10, and so do you.</p>
=== en, referral digits|team@wallet.example|Invite your friends|-
Share your invite code 774018 with friends. Both of you get €5 after the first payment.
=== en, promo|offers@shoes.example|20% off with your code|-
<h1>Your code</h1><p style="font-size:30px;border:1px solid #333">SOLE20</p><p>Enter it at checkout by Sunday midnight.</p>
=== de, promo|post@garten.example|-15 % mit Ihrem Code|-
<h2>Ihr Code</h2><table><tr><td style="border:3px solid green;font-size:28px">BLUME15</td></tr></table><p>Im Warenkorb eingeben, gültig bis 30.4.</p>
=== fr, promo|contact@jouets.example|10 % pour vous|-
<h1>Votre code</h1><div style="border:2px solid #a00;font-size:26px">NOEL10</div><p>A saisir dans le panier avant le 24/12.</p>
=== es, promo|hola@cafe.example|Tu código -25 %|-
<h2>Tu código</h2><p style="font-size:26px"><b>CAFE25</b></p><p>Introdúcelo en la cesta antes del domingo.</p>
=== pl, promo|sklep@dom.example|-30% z Twoim kodem|-
<h2>Twój kod</h2><p style="font-size:26px;background:#eee">LATO30</p><p>Wpisz go w koszyku do niedzieli.</p>
=== ka, subscriber|info@gaz.example|ქვითარი|-
აბონენტის ნომერი 330418. გადასახდელია 31.20 ₾ 15 მარტამდე.
=== ka, code|info@servisi.example|შესვლა|330419
თქვენი კოდია 330419. ძალაშია 10 წუთი.
=== hy, subscriber|info@jur.example|Հաշիվ|-
Բաժանորդի համարը՝ 440918։ Վճարման ենթակա է 4 200 ֏ մինչև մարտի 10-ը։
=== kk, subscriber|info@su.example|Түбіртек|-
Абонент нөмірі 771402. Төлеуге 3 450 ₸, 10 наурызға дейін.
=== th, student|thabian@withayalai.example|รหัสนักศึกษา|-
รหัสนักศึกษาของคุณคือ 660418 ใช้ลงทะเบียนเรียนทุกภาคการศึกษา
=== th, customer|bill@nam.example|ใบแจ้งค่าน้ำ|-
รหัสลูกค้า 4401827 ยอดชำระ 312.50 บาท ภายใน 15 มี.ค.
=== th, code|no-reply@khaya.example|เข้าสู่ระบบ|660419
รหัสของคุณคือ 660419 ใช้ได้ 5 นาที
=== th, code for signing in|no-reply@thanakhan.example|ยืนยันตัวตน|204417
รหัส OTP สำหรับเข้าใช้งานคือ 204417 ห้ามบอกผู้อื่น
=== lo, employee|hr@bolisat.example|ແຈ້ງການ|-
ລະຫັດພະນັກງານຂອງທ່ານແມ່ນ 204418
=== lo, code|noreply@thanakhan-lao.example|ຢືນຢັນ|204419
ລະຫັດຂອງທ່ານແມ່ນ 204419. ໃຊ້ໄດ້ 5 ນາທີ
=== km, customer|info@tuk.example|វិក្កយបត្រ|-
លេខកូដអតិថិជន 440183 សរុប 45,000 ៛
=== vi, ticket|ve@taucao.example|Đặt vé thành công: mã vé 550318|-
<p>Mã vé: <b>550318</b>, ghế C4, giá 410.000đ.</p><p>Tàu chạy lúc 21:10.</p>
=== vi, customer|hoadon@dien.example|Hóa đơn tiền điện|-
Mã khách hàng: 330417. Số tiền 218.000đ, hạn 20/3.
=== vi, code|noreply@vi.example|Đăng nhập|330418
Mã của bạn: 330418. Có hiệu lực 5 phút.
=== id, customer|tagihan@air.example|Tagihan Maret|-
Kode pelanggan 550417, jumlah Rp 120.500, jatuh tempo 20 Maret.
=== id, code|no-reply@dompet.example|Masuk|550418
Kode Anda: 550418. Berlaku 5 menit.
=== hi, post|info@kirana.example|आपका पता|-
पता: 12 गांधी मार्ग, भोपाल, पिन कोड 462011। गलत हो तो बताएँ।
=== en, post in India|orders@spices.example|Where we deliver|-
Ship to: R. Menon, 4 Lake View, Kochi, PIN code: 682011, Kerala. Phone 0484 555 018.
=== mr, post|info@pustak.example|पत्ता|-
पत्ता: सदाशिव पेठ, पुणे, पिन कोड 411030.
=== hi, customer|bill@bijli.example|बिजली बिल|-
उपभोक्ता संख्या 330417. देय राशि ₹1,240, अंतिम तिथि 20 मार्च.
=== hi, code|noreply@yatra.example|लॉगिन|330419
आपका लॉगिन कोड 330419 है। मदद: 1800-300-4412
=== mr, code|kar@mahapalika.example|लॉगिन संकेतांक|4471
नमस्कार, पाणीपट्टी पोर्टलसाठी तुमचा संकेतांक 4471 आहे. १० मिनिटांत वापरा.
=== ne, code alone|tikat@yatayat.example|प्रमाणीकरण|440719
नमस्ते,

टिकट रद्द गर्न तलको अंक लेख्नुहोस्।

४४०७१९
=== pa, code and telephone|noreply@bazaar.example|ਲਾਗਇਨ|771903
ਤੁਹਾਡਾ ਲਾਗਇਨ ਕੋਡ 771903 ਹੈ।
ਮਦਦ ਲਈ: 1800-440-2210
=== gu, code and telephone|noreply@dukan.example|લૉગિન|220418
તમારો લૉગિન કોડ 220418 છે.
મદદ: 1800-220-1180
=== mt, payment|ticdub@bank-mt.example|Kodiċi ta' darba|440718
Għażiż klijent, il-kodiċi għal din it-tranżazzjoni ta' €18.90 huwa 440718.
=== mt, bill|kontijiet@ilma.example|Kont tal-ilma|-
Numru tal-kont 440718. Ammont €31.20, sal-15 ta' Marzu.
=== xh, code|ikhowudi@ivenkile.example|Ikhowudi|330712
Molo, ikhowudi yakho yokuqinisekisa ngu-330712. Sukuyixelela mntu.
=== zu, bill|izindleko@amanzi.example|I-akhawunti yakho|-
Inombolo ye-akhawunti 330712. Inkokhelo R412.50, ngaphambi kuka-15 Mashi.
=== haw, code|kokua@hale.example|Helu hōʻoia|330713
Aloha, eia kāu helu hōʻoia: 330713. Mai hāʻawi aku iā haʻi.
=== ckb, code|noreply@bank-krd.example|کۆد|330714
کۆدی دڵنیابوونەوەکەت 330714 یە. بۆ ماوەی 10 خولەک کاردەکات.
=== ckb, bill|karaba@krd.example|پسوڵەی کارەبا|-
ژمارەی بەشداربوو 330714. بڕی پارە 25,000 دینار.
=== om, code|noreply@baankii.example|Koodii|330715
Koodiin mirkaneessaa keessan 330715 dha. Daqiiqaa 5 keessatti fayyadamaa.
=== ig, code|ozi@ahia.example|Koodu mbanye|330716
Ndewo, koodu mbanye gị bụ 330716. Ọ ga-agwụ n'ime nkeji 10.
=== yi, code|info@krom.example|אַרײַנלאָגירן|330717
אײַער קאָד צום אַרײַנלאָגירן איז 330717. ער איז גוט צען מינוט.
=== is, code|noreply@laug.example|Staðfestingarkóði|3307
Staðfestingarkóðinn þinn er 3307.
=== fo, code|noreply@banki-fo.example|Váttanarkota|330718
Váttanarkotan hjá tær er 330718. Hon er galdandi í 10 minuttir.
=== gd, code|noreply@banca.example|Còd dearbhaidh|330719
Seo an còd dearbhaidh agad: 330719. Cuir a-steach e an-diugh.
=== zh, date beside|service@shudian.example|會員驗證|40719
您的驗證碼為 40719，請於民國115年3月4日 12:00 前輸入。
統一編號 24508817
=== zh, staff|hr@gongchang.example|新员工|-
您的工号为 104417，请在请假单上填写。
=== ko, staff|hr@gongjang.example|입사 안내|-
귀하의 사번은 204418입니다. 휴가 신청서에 기재해 주세요.
=== ko, table|no-reply@sanup.example|[가온] 이메일 인증|HKQT4182
<p>아래 인증번호를 입력해 주세요.</p><table bgcolor="#f5f6f8"><tr><td>요청 일시</td><td>2026.03.04 오전 9:41</td></tr><tr><td>인증번호</td><td style="font-weight:bold">HKQT4182</td></tr></table><p>(주)가온 04524 서울시 중구 세종대로 6</p>
=== ja, invitation|info@tomodachi.example|お友達紹介キャンペーン|-
お友達にあなたの紹介コード 440718 を伝えると、500円分のポイントがもらえます。
=== ta, train above|noreply@bus-tn.example|சரிபார்ப்புக் குறியீடு|440817
<p>பேருந்து 12288 (B2, 14) பயணத்தை ரத்து செய்ய:</p><h1>440817</h1><p>என்ற குறியீட்டை உள்ளிடவும்.</p><p>கோவை 641001. உதவி: 139</p>
=== en, print job|print@office.example|PIN for your document|30418
Document 77120 (4 pages) is waiting at printer 12.
One-time release PIN: 30418
It is deleted after 60 minutes.
=== en, review|notify@forge.example|[lib/auth] Fix verify() (#44018)|-
<p><b>@kim</b> commented:</p><pre>-  if (code == 100000)
+  if (code >= 100000)</pre><p>Should the code be a constant?</p>
=== en, sample|devrel@api.example|Your first OTP in five minutes|-
Send a code with one call:

    POST /v2/verify
    {"to": "+15005550010", "text": "Your code is 604418"}

Then replace the text with your template.
=== en, sample curl|docs@sms.example|Sending codes with curl|-
curl -d 'to=+15005550011' -d 'body=Your code: 204418' https://api.sms.example/send

The answer is {"status": "queued", "id": 88120417}.
=== de, sample|doku@schnittstelle.example|Codes versenden|-
Beispielaufruf: {"empfaenger": "+4930555001", "text": "Ihr Code lautet 604419"}. Passen Sie den Text an.
=== en, old and new|no-reply@vault.example|New code|604420
Your previous code 118204 is no longer valid. Your new code is 604420.
=== fr, old and new|no-reply@coffre.example|Nouveau code|604421
L'ancien code 118205 n'est plus valable. Votre nouveau code est 604421.
=== ru, old and new|no-reply@seif.example|Новый код|604422
Предыдущий код 118206 больше не действует. Ваш новый код: 604422
=== en, struck|no-reply@till.example|Your code was renewed|604423
<p>Your sign-in code:</p><p><del>118207</del></p><p><b>604423</b></p>
=== sv, bank|noreply@sparbank.example|Engångskod|44071
Engångskod 44071 för köp 849,00 SEK hos BUTIKEN, kort **** 7120, ref 90418.
=== de, bank|zahlung@seebank.example|Freigabe|40718822
Freigabecode 40718822 für EUR 118,40 bei MUSTERLADEN, Karte **** 5120, Referenz 50718811. Fragen? 044 555 18 18
=== nb, bank|svar-ikke@fjordbank.example|Bekreft kjøpet|30718
Bekreft kjøp på NOK 512,00 hos BUTIKK.NO med kort *8120 ved å taste 30718 i nettleseren. Ref. 804 113. Koden utløper om 4 minutter.
=== hi, bank|alerts@nadibank.example|OTP for your transaction|507183
आपके Credit Card ending 2286 से Rs. 640.00 के भुगतान के लिए OTP 507183 है। यह OTP 04/03/2026 18:12:40 तक वैध है।
=== my, bank|alert@mandalaybank.example|ငွေလွှဲခြင်း OTP|507184
သင်၏ ငွေလွှဲမှု ၁၂၀,၀၀၀ ကျပ် (အမှတ်စဉ် ၃၀၉၁၈၂) အတွက် OTP ကုဒ်မှာ ၅၀၇၁၈၄ ဖြစ်ပါသည်။ ၃ မိနစ်အတွင်း ထည့်သွင်းပါ။
=== en, order beside|secure@cable.example|One-time PIN|5071
<p>We'll need the PIN below to place order <b>OR-771204</b>.</p><p>PIN: <b style="font-size:22px">5071</b></p><p>It's valid for 30 minutes. Your bill goes from $38.20 to $49.10.</p>
=== de, club|vorstand@ruderclub.example|Dein Code fürs Portal|5072
Hallo Ute,
hier dein Code fürs Ruderportal: 5072
Gilt nur heute. Wenn's klemmt, ruf Jan an (0431 / 771204).
=== fy, compound|help@skotsploech.example|Befêstigje dyn adres|660312
Goeie, dyn befêstigingskoade is 660312. Folje him yn op de side dy't noch iepen stiet.
=== fy, none|winkel@tsiis.example|Koartingskoade|-
Brûk by dyn bestelling de koartingskoade TSIIS20. Us postkoade is 8701.
=== hsb, to sign in|serwis@lipa.example|Přizjewjenje|662018
Zapodajće 662018, zo byšće so přizjewili. Kod płaći dźesać mjeńšin.
=== hsb, none|wobchod@lipa.example|Waša skazanka|-
Waša skazanka 551204 je so wotpósłała. Zličbowanku č. 2026118 namakaće w kontu.
=== dsb, to confirm|serwis@blota.example|Kod|50718
Waš kod za wobkšuśenje: 50718
Zapódajśo jen na boku.
=== nds, to sign in|post@kroog.example|Anmellen|44190
Dien Kood to'n Anmellen: 44190
De Kood gellt 15 Minuten.
=== nds, none|laden@kroog.example|Dien Bestellen|-
Dien Bestellen 448120 is ünnerwegens. Gootschienkood: PLATT10.
=== gsw, to sign in|hoi@zunft.example|Aamäldig|7718
Gib dä Code ii: 7718. Er isch 10 Minute gültig.
=== fo, compound|kundi@vagur.example|Innrita teg|55031
Tín innritanarkota er 55031. Ger so væl og inntasta hana.
=== fur, to confirm|info@ostarie.example|Conferme|77140
Il codiç di conferme al è 77140. Al vâl par 20 minûts.
=== rue, to confirm|posta@verchovyna.example|Код|33812
Ваш код на потверджіня: 33812
=== sc, to confirm|info@nuraghe.example|Còdighe|90125
Su còdighe de cunfirma est 90125.
=== gu, given to a courier|seva@katha.example|પાર્સલ આજે આવશે|7731
કુરિયરને આ કોડ આપો: 7731
ઓર્ડર નં. 66120983, રકમ ₹ 890
=== gu, none|seva@katha.example|પાર્સલ રસ્તામાં|-
કુરિયર નંબર: 482193
ડિલિવરી નંબર: 551207
=== mr, given to a courier|seva@vachan.example|पार्सल|8093
कुरिअरला हा ओटीपी द्या: 8093
ऑर्डर क्र. 55120983
=== ta, given to a courier|udavi@kadai.example|பார்சல்|5520
கூரியரிடம் இந்த ஓடிபியைக் கொடுங்கள்: 5520
=== ta, none|udavi@kadai.example|பார்சல்|-
உங்கள் பார்சல் புறப்பட்டது.
டெலிவரி எண்: 663018
=== ne, given to a courier|sewa@hatiya.example|पार्सल|7714
कुरियरलाई यो ओटीपी दिनुहोस्: 7714
अर्डर नं. 55120983
`;
