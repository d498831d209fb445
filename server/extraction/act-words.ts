// Words of links that verify, sign in, reset or accept, in the languages that `link-words.ts` does not have: data for lexicon.ts.

/** A line for each language. `vahvist*` is the start of words. Words of scripts without spaces are found anywhere. */
const ACTS = `
da bekraft* bekraeft* verificer* aktiver* nulstil* adgangskode* kodeord* tilmeld* deltag* godkend* underskriv*
sv bekraft* verifier* aktiver* aterstall* losenord* logga slutfor* godkann* underteckna* signera*
nb bekreft* verifiser* aktiver* tilbakestill* passord* fullfor* godkjenn* signer* underskriv*
is staðfest* virkja* lykilorð* endurstill* innskra* skra*
fi vahvist* aktivoi* salasan* nollaa* kirjau* hyvaks* viimeistele* rekisteroi* allekirjoita*
et kinnita* aktiveeri* parool* lahtesta* sisselog* logi registreeri* noustu* allkirjasta*
lv apstiprin* aktivi* parol* atiestat* pieslegt* pieteik* registr* parakst*
lt patvirtin* aktyvuo* slaptazod* prisijung* registr* atstat* atkur* pasirasy*
cs potvrd* aktivuj* aktivov* aktivac* hesl* obnov* prihlas* prihlaseni dokonc* podepis* podepsat
sk potvrd* aktivuj* aktivov* aktivac* hesl* obnov* prihlas* dokonc* podpist*
sl potrd* preveri* aktivir* gesl* ponastav* prijav* dokonca* podpisite podpisi
hr potvrd* verificir* aktivir* lozink* resetir* prijav* dovrsi* zavrsi* potpisi*
sr potvrd* aktivir* lozink* prijav* потврд* активир* лозинк* пријав* заврши* потпиши* potpisi*
mk потврд* активирај* лозинк* најав* заврши* потпиш*
bg потвърд* активира* парол* вход* влезте завърш* нулира* подпиш*
uk підтверд* активу* парол* увійти увійдіть вход* вхід скинут* завершіт* відновл* підпиш* підписати
be пацверд* актывав* парол* увайс*
hu erosits* megerosit* aktival* jelszo* visszaallit* belep* bejelentkez* regisztrac* alairas*
ro confirm* verific* activ* parol* autentific* conecta* inregistr* finaliz* semnati semneaza
sq konfirm* verifik* aktiviz* fjalekalim* rivendos* hyni regjistr*
el επιβεβαι* επαληθευ* ενεργοποι* κωδικ* επαναφορ* συνδε* συνδεσ* εγγραφ* ολοκληρ* υπογραψ*
ca confirm* verific* activ* contrasenya restabl* acceptar registr* signeu signar
gl confirm* verific* activ* contrasinal restabl* rexistr*
eu berretsi berrest* egiazta* aktiba* pasahitz* berrezarri* saioa erregistr* baieztatu
cy cadarnha* cadarnhew* gadarnhew* gadarnha* chadarnha* dilys* ddilys* actifadu cyfrinair gyfrinair ailosod mewngofnod* cofrestr* gofrestr*
ga dearbhaigh dhearbh* deimhnigh* gniomh* pasfhocal*
af bevestig* verifieer* aktiveer* wagwoord* voltooi*
mt ikkonferma* tikkonferma* kkonferma* verifika* attiva* password rregistra*
lb bestateg* confirmer* aktive* passwuert* aloggen umell*
az tesdiq* dogrula* aktivlesdir* sifre* parol* berpa daxil qeydiyyat*
kk раста* белсенд* құпиясөз* құпия қалпына кіру тіркел*
ky ырастa* ырастоо* тастыктa* сырсөз* кирүү катталуу*
uz tasdiqla* faollashtir* parol* tiklash kirish royxat*
tg тасдиқ* фаъол* рамз* парол* вуруд*
mn баталгаажуул* баталгаажуулах идэвхжүүл* нууц нэвтр* бүртгэл*
hy հաստատ* ակտիվացն* գաղտնաբառ* վերականգն* մուտք* գրանց*
ka დაადასტურ* დასადასტურ* დადასტურ* გააქტიურ* აქტივაც* პაროლ* აღდგენ* შესვლ* რეგისტრაც*
ar تأكيد تاكيد أكد تحقق التحقق توثيق تفعيل فعل كلمة المرور إعادة تعيين دخول الدخول قبول انضم وقع التوقيع
fa تأیید تایید تأييد فعال فعال‌سازی فعالسازی رمز گذرواژه بازنشانی ورود پذیرش امضا
he אשר אישור אמת אימות הפעל הפעלה הפעלת סיסמה סיסמא הסיסמה איפוס כניסה התחבר* הצטרף הצטרפות חתמו לחתום
hi सत्यापित* सत्यापन* पुष्टि* सक्रिय* पासवर्ड* रीसेट* लॉगिन* साइन* स्वीकार* हस्ताक्षर*
bn নিশ্চিত* যাচাই* যাচাইকরণ* সক্রিয়* পাসওয়ার্ড* রিসেট* লগইন* সাইন*
mr सत्यापित* पडताळणी* पुष्टी* सक्रिय* पासवर्ड* रीसेट* लॉगिन*
ne प्रमाणित* पुष्टि* सक्रिय* पासवर्ड* रिसेट* लगइन*
gu ચકાસ* પુષ્ટિ* સક્રિય* પાસવર્ડ* રીસેટ* લૉગિન*
pa ਪੁਸ਼ਟੀ* ਤਸਦੀਕ* ਸਰਗਰਮ* ਪਾਸਵਰਡ* ਰੀਸੈੱਟ* ਲੌਗਇਨ*
ta உறுதி* உறுதிப்படுத்த* சரிபார்* செயல்படுத்த* கடவுச்சொல்* மீட்டமை* உள்நுழை* ஏற்க*
te ధృవీకరిం* నిర్ధారిం* ధృవీకరణ* సక్రియం* యాక్టివేట్* పాస్‌వర్డ్* రీసెట్* లాగిన్* సైన్*
kn ದೃಢೀಕರಿ* ಪರಿಶೀಲಿ* ಸಕ್ರಿಯ* ಪಾಸ್‌ವರ್ಡ್* ಮರುಹೊಂದಿ* ಲಾಗಿನ್*
ml സ്ഥിരീകരി* പരിശോധി* സജീവ* പാസ്‌വേഡ്* പുനഃസജ്ജ* ലോഗിൻ*
si තහවුරු* සත්‍යාපනය* සක්‍රිය* මුරපදය* පුරනය*
th ยืนยัน เปิดใช้งาน รหัสผ่าน รีเซ็ต เข้าสู่ระบบ เข้าร่วม ลงทะเบียน ลงนาม
lo ຢືນຢັນ ເປີດໃຊ້ ລະຫັດຜ່ານ ເຂົ້າສູ່ລະບົບ
km បញ្ជាក់ ផ្ទៀងផ្ទាត់ ធ្វើឱ្យសកម្ម ពាក្យសម្ងាត់ ចូលគណនី
my အတည်ပြု စိစစ် ဖွင့်ရန် စကားဝှက် ဝင်ရောက်
vi xác xac kích kich đăng dang mật mat
id konfirmasi* verifikasi* aktifkan aktivasi* sandi password atur masuk gabung bergabung pendaftaran tandatangani
ms sahkan pengesahan aktifkan pengaktifan laluan tetapkan masuk sertai pendaftaran tandatangani
tl kumpirma* i-verify patotohanan i-activate password i-reset mag-log lagdaan pirmahan pakikumpirma*
sw thibitish* hakik* amilisha nenosiri ingia kujiunga usajili
so xaqiiji* hawlgeli* furaha gal
ha tabbatar* kalmar sirri shiga
yo jeriisi* jerisi* ijerisi* ijẹrisi* fidi* oroigbaniwole oroaṣina wole
ig kwado kwenye nkwenye gosi rụọ okwuntughe paswọọdụ banye
zu qinisekis* ukuqinisekis* yokuqinisekis* sebenzis* iphasiwedi ngena
xh qinisekis* ukuqinisekis* iphasiwedi ngena
rw emeza kwemeza ijambobanga injira
mg hamarin* hamafis* tenimiafina fidira
am አረጋግጥ አረጋግጡ ማረጋገጫ ያረጋግጡ ለማረጋገጥ አግብር የይለፍ ቃል ይግቡ ግባ
ti ኣረጋግጽ ምርግጋጽ
ur تصدیق توثیق فعال پاس ورڈ ری سیٹ لاگ داخل قبول
ps تایید فعال پټنوم
ku pistrast* piştrast* çalak* nasnav* sifre* şifre*
eo konfirm* aktivig* pasvort* ensalut*
fo vatta* staðfest* loyniorð*
nn stadfest*
br kadarna* gadarna*
gd dearbh* daingnich* facal-faire
mi whakau* manatoko* kupuhipa
haw hooia*
yi באשטעטיק* פאסווארט
oc confirmat* validat* senhal
co cunfirm*
sd تصديق* پاسورڊ
ug جەزملە* تەستىقلا*
tt расла*
or ନିଶ୍ଚିତ* ଯାଞ୍ଚ*
as নিশ্চিত* সত্যাপন*
ny tsimikiz*
sn simbis*
st netefats* tiisets*
tn netefats* tlhomamis*
lg kakas*
om mirkanees*
sm faamaonia*
hsb wobkruc*
tk tassykla*
`;

/** An invitation is to a team or to a party, which nothing is to be done for. */
const INVITES = `
da invitation*
sv inbjud*
nb invitasjon*
is boð*
fi kutsu*
et kutse*
lv uzaicin*
lt pakviet* kvieti*
cs pozvan*
sk pozvan*
sl povabil*
hr pozivnic*
sr pozivnic* позивниц*
mk покан*
bg покан*
uk запрош*
be запраш*
hu meghiv*
ro invitat*
sq ftes*
el προσκλ*
ca invitac*
gl convit*
eu gonbid*
cy gwahodd*
ga cuireadh cuirfid*
af uitnodig*
mt stedina*
lb invitat*
az devet*
kk шақыру*
ky чакыруу*
uz taklif*
tg даъват*
mn урилг*
hy հրավեր*
ka მოწვევ*
ar دعوة الدعوة
fa دعوت
he הזמנה
hi आमंत्रण* निमंत्रण*
bn আমন্ত্রণ*
mr आमंत्रण*
ne निमन्त्रणा*
gu આમંત્રણ*
pa ਸੱਦਾ*
ta அழைப்பு*
te ఆహ్వాన*
kn ಆಹ್ವಾನ*
ml ക്ഷണം*
si ආරාධනා*
th คำเชิญ
lo ຄຳເຊີນ
km ការអញ្ជើញ
my ဖိတ်ကြား
vi lời loi
id undangan
ms jemputan
tl imbitasyon
sw mwaliko
so martiqaad*
ha gayyat*
yo ifiwepe*
ig ọkpụkpọ
zu isimemo
xh isimemo
rw ubutumire
mg fanasana
am ግብዣ
ur دعوت
ku vexwendin*
eo invit*
`;

/** Bookings, which are confirmed to the one who made them. */
const BOOKINGS = `
da booking* bestilling*
sv bokning* bestallning*
nb booking* bestilling*
ro rezerv*
cs rezervac*
sk rezervac*
hr rezervac*
sl rezervac*
hu foglal*
el κρατησ*
ar حجز حجزك الحجز
fa رزرو
id pesanan reservasi
ms tempahan
`;

/** An account or a membership. For a code it is another number; a link confirms it. */
const ACCOUNTS = `
da konto* medlemskab*
sv konto* medlemskap*
nb konto* medlemskap*
fi tili* jasenyy*
et konto* liikme*
lv kont*
lt paskyr*
cs ucet uct* clenstvi*
sk ucet uct* clenstv*
hr nalog* clanstv*
sr nalog* налог*
mk сметка* налог*
bg акаунт* профил*
uk обліков* акаунт*
hu fiok* tagsag*
ro cont*
sq llogari*
el λογαριασμ*
ca compte*
gl conta
eu kontu*
cy cyfrif* gyfrif*
ga cuntas* chuntas*
mt kont*
az hesab*
kk аккаунт*
ky аккаунт*
uz hisob*
tg ҳисоб*
mn данс* бүртгэл*
hy հաշիվ* հաշվ*
ka ანგარიშ*
ar حساب حسابك عضوية عضويتك
fa حساب عضویت
he חשבון חשבונך
hi खाता खाते अकाउंट*
bn অ্যাকাউন্ট* সদস্যপদ*
mr खाते खाता
ne खाता
gu ખાતું ખાતા* એકાઉન્ટ*
pa ਖਾਤਾ ਖਾਤੇ
ta கணக்கு* கணக்கை* உறுப்பின*
te ఖాతా*
kn ಖಾತೆ*
ml അക്കൗണ്ട്*
si ගිණුම*
th บัญชี สมาชิก
lo ບັນຊີ
km គណនី
my အကောင့်
vi khoản
id akun keanggotaan
ms akaun keahlian
tl account
sw akaunti*
am መለያ*
ur اکاؤنٹ اکاونٹ کھاتہ رکنیت
ps حساب
ku hesab*
eo konto*
`;

const linesOf = (table: string, kind: string) =>
  table
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [language = "", ...words] = line.split(" ");
      return words.map((word) => `${language} ${kind} ${word}`);
    });

/** In the form of `code-words.ts`. */
export const ACT_WORDS = [
  ...linesOf(ACTS, "act"),
  ...linesOf(INVITES, "invite"),
  ...linesOf(BOOKINGS, "other"),
  ...linesOf(ACCOUNTS, "account"),
].join("\n");
