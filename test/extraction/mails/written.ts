// Mails in many languages, written by hand: the half that the weights are fitted to. A random choice put the other half into `held-back/`.

/** A line `=== name|from|subject|code` before each mail, `-` for none. */
export const WRITTEN = `
=== he, parcel|info@shlichut.example|החבילה שלך בדרך|-
שלום דנה, חבילה מספר RR482913771IL נמסרה לשליח. קוד מיקוד 6473921. לבירורים 1-700-555-010.
=== ru, latin letters|bank@perevod.example|Message|7741
Nikomu ne soobshchayte kod! Kod: 7741. Pokupka 1250.00 RUB, karta *4417
=== ro, app|salut@aplicatie.example|Confirmă contul|407719
<p>Salut Andrei,</p><p>Introdu codul în aplicație pentru a termina:</p><table align="center"><tr><td style="border:2px solid #222;font-size:28px">4</td><td style="border:2px solid #222;font-size:28px">0</td><td style="border:2px solid #222;font-size:28px">7</td><td style="border:2px solid #222;font-size:28px">7</td><td style="border:2px solid #222;font-size:28px">1</td><td style="border:2px solid #222;font-size:28px">9</td></tr></table><p>Mulțumim!</p>
=== cy, council|dim-ateb@cyngor.example|Eich cod|204188
Eich cod mewngofnodi yw 20 41 88. Daw i ben ymhen 15 munud.
=== tr, e-devlet|no-reply@devlet.example|Giriş|664281
Sayın kullanıcı, sisteme giriş için onay kodunuz: 664 281 Ref: 0091
=== et, login|no-reply@teenus.example|Sisselogimine|HW4K9D
<p>Tere!</p><p>Sinu ühekordne kood on</p><h2>HW4K9D</h2><p>Kui sa ei üritanud sisse logida, kustuta see kiri.</p>
=== hy, shop order|info@khanut.example|Պատվեր|-
Շնորհակալություն գնումի համար։ Պատվերի համարը՝ 771204։ Գումար՝ 12500 ֏։
=== az, wallet|info@pulqabi.example|Əməliyyat|3047
3047 - əməliyyatın təsdiqi üçün birdəfəlik şifrə. Heç kimə deməyin.
=== kk, bank|noreply@bank-kz.example|Кіру|884013
Жеке кабинетке кіру үшін 884 013 кодын теріңіз. Ешкімге айтпаңыз!
=== sv, bank|noreply@banken.example|Engångskod|33910284
Din engångskod: 3391 0284
Lämna aldrig ut koden till någon som ringer dig.
=== uk, post|info@poshta.example|Відправлення прибуло|-
Відправлення 59000482913771 прибуло у відділення №14. Вартість доставки 75 грн. Зберігання до 12.05.
=== th, receipt|shop@ran.example|ใบเสร็จรับเงิน|-
ขอบคุณที่สั่งซื้อ เลขที่ใบเสร็จ 20260512 ยอดรวม 1,290.00 บาท ชำระด้วยบัตรลงท้าย 4417
=== mt, portal (no list has it)|no-reply@portal-mt.example|Kodiċi|660174
Il-kodiċi tiegħek biex tidħol huwa 660 174. Jiskadi fi żmien 10 minuti.
=== sv, train|biljett@tag.example|Din resa|-
Bokningsnummer QKX4821F. Avgång 07:45, vagn 4, plats 32. Pris 349 kr. Frågor? 0771-75 75 75.
=== ga, revenue|na-freagair@oifig.example|Cód|553201
Is é 553201 do chód slándála.
=== hu, bank|noreply@bank-hu.example|Belépés|40218833
Belépési jelszó: 40218833. Érvényes: 3 perc. Ha nem Ön kezdeményezte, hívja a +36 1 555 0100 számot!
=== nb, parking|kvittering@parkering.example|Kvittering|-
Kvittering 8829137. Bil EV48291, sone 2204, 45,00 kr. Kl. 12:10–13:40.
=== ml, app|noreply@app-ml.example|OTP|902281
നിങ്ങളുടെ ഒടിപി 902281 ആണ്. 5 മിനിറ്റിനുള്ളിൽ ഉപയോഗിക്കുക.
=== sr, latin|noreply@usluga.example|Prijava|774093
Zdravo, da biste potvrdili nalog ukucajte 774 093 u aplikaciji. Kod ističe za 10 minuta.
=== ru, service, code first|id@oblako.example|482017 — код для входа|482017
482017 — это код для входа в Облако. Если вы не пытались войти, смените пароль.
=== zh, developer|noreply@kaifa.example|[开发者] 请验证您的设备|839204
有人尝试登录您的账号，需要进一步验证。请输入以下内容：

839 204

设备：Chrome, macOS
IP：203.0.113.9
=== ko, shop|order@gage.example|배송 시작|-
주문번호 20260503-0048291 상품이 출고되었습니다. 송장번호 482913771020. 결제금액 32,900원.
=== yo, bank (no list has it)|noreply@bank-ng.example|Koodu|772014
<p>Ẹ kú ọjọ́,</p><p>Lo koodu yìí láti wọlé:</p><p style="font-size:28px"><b>772014</b></p><p>Yóò parí ní ìṣẹ́jú 10.</p>
=== tr, market|bildirim@market.example|Kampanya|-
BAHAR50 koduyla 50 TL indirim! Son gün 31 Mayıs. Mersis 0482913771000015. B021
=== lb, bank (no list has it)|noreply@bank-lu.example|Äre Code|443902
Moien, Äre Code fir d'Umeldung ass 443 902. E gëllt 5 Minutten.
=== fr, forwarded|marie.d@courrier.example|Tr : Votre code|771204
Tiens, c'est pour toi je crois.

-------- Message transféré --------
De : Boutique <noreply@boutique.example>
Objet : Votre code

Votre code à usage unique : 771 204
=== bn, app|no-reply@khobor.example|আপনার কোড|7702
অ্যাপে প্রবেশ করতে 7702 লিখুন। কোডটি ১০ মিনিট কার্যকর থাকবে।
=== ar, order|orders@souq.example|تم تأكيد طلبك|-
شكرًا لتسوقك معنا. رقم الطلب: 55120938. المجموع: 320.50 ر.س. التوصيل خلال 3 أيام.
=== uz, app|noreply@ilova.example|Kirish|72915
Ilovaga kirish uchun tasdiqlash kodi: 72915
=== fi, library|kirjasto@kunta.example|Eräpäivämuistutus|-
Lainasi erääntyy 14.5.2026. Kortin numero 21412000987735, nide 482913. Uusi laina verkossa.
=== fr, parking|recu@stationnement.example|Votre ticket|-
Ticket 482913, zone 4, plaque AB-123-CD, 2,40 €, jusqu'à 15h30.
=== eu, portal|ez-erantzun@ataria.example|Kodea|662018
Hau da saioa hasteko kodea: 662 018
=== fa, ticket|support@mizban.example|تیکت 204418|-
سلام، تیکت شما با شماره 204418 ثبت شد و کارشناسان ما تا ۲۴ ساعت آینده پاسخ می‌دهند. تلفن ۰۲۱-۸۸۷۷۶۶۵۵
=== ro, courier|notificari@curier.example|Livrare azi|-
Coletul cu AWB 4829137710 va fi livrat azi intre 12:00 si 14:00. Ramburs: 149,99 lei. Curier: 0722 555 010.
=== sk, portal|nereagujte@portal.example|Prihlásenie|PX7-K2M
<p>Na prihlásenie použite</p><p style="font-size:26px;letter-spacing:4px">PX7-K2M</p><p>Platí do 15:40.</p>
=== ur, wallet|noreply@batwa.example|کوڈ|7730
آپ کا ون ٹائم پاس کوڈ 7730 ہے۔ کسی کو نہ بتائیں۔
=== id, electricity|info@listrik.example|Token listrik|-
Pembelian berhasil. Nomor meter 14048291377. Token: 4829 1377 1020 5520 9813. Total Rp 52.500.
=== bg, bank|noreply@banka-bg.example|Достъп|20915
Вашият еднократен код за достъп е 20915. Не го предоставяйте на трети лица!
=== mn, app|noreply@bank-mn.example|Баталгаажуулалт|448120
Таны нэг удаагийн нууц код: 448120. 5 минутын дотор хүчинтэй.
=== zh-TW, bank|service@yinhang.example|網路銀行簡訊密碼|51092788
您的OTP密碼為51092788，請於5分鐘內輸入，交易代號4F2K。切勿告知他人。
=== nl, broker|service@beleggen.example|Orderbevestiging 4829137|-
Uw order 4829137 is uitgevoerd: 20 stuks à € 48,29, totaal € 965,80. Rekening 5520.98.137.
=== it, identity|noreply@identita.example|Codice temporaneo|58291044
Il codice temporaneo per completare l'operazione e' 58291044. Valido 5 minuti. Non comunicarlo a nessuno.
=== sw, money|no-reply@pesa.example|Uthibitisho|4471
Tumia 4471 kuthibitisha namba yako ya simu. Usimwambie mtu.
=== eo, forum (no list has it)|ne-respondu@forumo.example|Ensaluto|550917
Saluton!

Via kodo por ensaluti:

550 917

La kodo validas dum 10 minutoj.
=== lt, bank|noreply@bankas.example|Prisijungimas|6204
Jūsų kontrolinis kodas: 6204. Prisijungdami patikrinkite, ar kodas sutampa su kodu ekrane.
=== mk, bank|noreply@banka-mk.example|Најава|40918
Вашиот код за најава е 40918. Важи 3 минути.
=== fa, shop login|no-reply@forooshgah.example|ورود به حساب|51873
کاربر گرامی
کد یکبار مصرف ورود شما: 51873
لطفا آن را به کسی ندهید.
لغو11
=== ar, html, native digits|noreply@bawaba.example|تأكيد البريد|603917
<div dir="rtl"><p>مرحبا سارة</p><p>لتأكيد بريدك أدخل هذا الرقم في الصفحة:</p><p style="font-size:34px;font-weight:bold">٦٠٣٩١٧</p><p>ينتهي بعد ١٥ دقيقة</p></div>
=== ca, town hall|no-reply@ajuntament.example|Codi d'un sol ús|904551
El vostre codi d'un sol ús és el 904 551. Caduca en 10 minuts.
=== fi, health|ala-vastaa@terveys.example|Tunnistautuminen|551720
Tunnistautumiskoodisi on 551 720. Älä kerro koodia muille. Koodi vanhenee 10 minuutissa.
=== hu, utility|ugyfelszolgalat@aram.example|Számlaértesítő|-
Tisztelt Ügyfelünk! A 8829137 számú számlája elkészült. Fizetendő: 12 480 Ft, határidő: 2026.06.15. Vevő azonosító: 4417-2280.
`;
