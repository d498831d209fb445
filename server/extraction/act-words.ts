// Words of links that verify, sign in, reset or accept, in the languages that `link-words.ts` does not have: data for lexicon.ts.

/** A line for each language. `vahvist*` is the start of words. Words of scripts without spaces are found anywhere. */
const ACTS = `
da bekraft* bekraeft* verificer* aktiver* nulstil* adgangskode* kodeord* tilmeld* invitation* deltag* godkend*
sv bekraft* verifier* aktiver* aterstall* losenord* logga inbjud* slutfor* godkann*
nb bekreft* verifiser* aktiver* tilbakestill* passord* invitasjon* fullfor* godkjenn*
is staðfest* virkja* lykilorð* endurstill* innskra* skra* boð*
fi vahvist* aktivoi* salasan* nollaa* kirjau* kutsu* hyvaks* viimeistele* rekisteroi*
et kinnita* aktiveeri* parool* lahtesta* sisselog* logi kutse* registreeri* noustu*
lv apstiprin* aktivi* parol* atiestat* pieslegt* pieteik* uzaicin* registr*
lt patvirtin* aktyvuo* slaptazod* prisijung* pakviet* kvieti* registr* atstat* atkur*
cs potvrd* aktivuj* aktivov* aktivac* hesl* obnov* prihlas* prihlaseni pozvan* dokonc*
sk potvrd* aktivuj* aktivov* aktivac* hesl* obnov* prihlas* pozvan* dokonc*
sl potrd* preveri* aktivir* gesl* ponastav* prijav* povabil* dokonca*
hr potvrd* verificir* aktivir* lozink* resetir* prijav* pozivnic* dovrsi* zavrsi*
sr potvrd* aktivir* lozink* prijav* pozivnic* потврд* активир* лозинк* пријав* позивниц* заврши*
mk потврд* активирај* лозинк* најав* покан* заврши*
bg потвърд* активира* парол* вход* влезте покан* завърш* нулира*
uk підтверд* активу* парол* увійти увійдіть вход* вхід запрош* скинут* завершіт* відновл*
be пацверд* актывав* парол* увайс* запраш*
hu erosits* megerosit* aktival* jelszo* visszaallit* belep* bejelentkez* meghiv* regisztrac*
ro confirm* verific* activ* parol* autentific* conecta* invitat* inregistr* finaliz*
sq konfirm* verifik* aktiviz* fjalekalim* rivendos* hyni ftes* regjistr*
el επιβεβαι* επαληθευ* ενεργοποι* κωδικ* επαναφορ* συνδε* συνδεσ* προσκλ* εγγραφ* ολοκληρ*
ca confirm* verific* activ* contrasenya restabl* invitac* acceptar registr*
gl confirm* verific* activ* contrasinal restabl* convit* rexistr*
eu berretsi berrest* egiazta* aktiba* pasahitz* berrezarri* saioa gonbid* erregistr* baieztatu
cy cadarnha* cadarnhew* gadarnhew* gadarnha* chadarnha* dilys* ddilys* actifadu cyfrinair gyfrinair ailosod mewngofnod* gwahodd* cofrestr* gofrestr*
ga dearbhaigh dhearbh* deimhnigh* gniomh* pasfhocal* cuireadh cuirfid*
af bevestig* verifieer* aktiveer* wagwoord* uitnodig* voltooi*
mt ikkonferma* tikkonferma* kkonferma* verifika* attiva* password stedina* rregistra*
lb bestateg* confirmer* aktive* passwuert* aloggen invitat* umell*
az tesdiq* dogrula* aktivlesdir* sifre* parol* berpa daxil devet* qeydiyyat*
kk раста* белсенд* құпиясөз* құпия қалпына кіру шақыру* тіркел*
ky ырастa* ырастоо* тастыктa* сырсөз* кирүү чакыруу* катталуу*
uz tasdiqla* faollashtir* parol* tiklash kirish taklif* royxat*
tg тасдиқ* фаъол* рамз* парол* вуруд* даъват*
mn баталгаажуул* баталгаажуулах идэвхжүүл* нууц нэвтр* урилг* бүртгэл*
hy հաստատ* ակտիվացն* գաղտնաբառ* վերականգն* մուտք* հրավեր* գրանց*
ka დაადასტურ* დადასტურ* გააქტიურ* აქტივაც* პაროლ* აღდგენ* შესვლ* მოწვევ* რეგისტრაც*
ar تأكيد تاكيد أكد تحقق التحقق توثيق تفعيل فعل كلمة المرور إعادة تعيين دخول الدخول دعوة الدعوة قبول انضم
fa تأیید تایید تأييد فعال فعال‌سازی فعالسازی رمز گذرواژه بازنشانی ورود دعوت پذیرش
he אשר אישור אמת אימות הפעל הפעלה הפעלת סיסמה סיסמא הסיסמה איפוס כניסה התחבר* הזמנה הצטרף הצטרפות
hi सत्यापित सत्यापन पुष्टि सक्रिय पासवर्ड रीसेट लॉगिन साइन आमंत्रण निमंत्रण स्वीकार
bn নিশ্চিত যাচাই যাচাইকরণ সক্রিয় পাসওয়ার্ড রিসেট লগইন সাইন আমন্ত্রণ
mr सत्यापित पडताळणी पुष्टी सक्रिय पासवर्ड रीसेट लॉगिन आमंत्रण
ne प्रमाणित पुष्टि सक्रिय पासवर्ड रिसेट लगइन निमन्त्रणा
gu ચકાસો ચકાસણી પુષ્ટિ સક્રિય પાસવર્ડ રીસેટ લૉગિન આમંત્રણ
pa ਪੁਸ਼ਟੀ ਤਸਦੀਕ ਸਰਗਰਮ ਪਾਸਵਰਡ ਰੀਸੈੱਟ ਲੌਗਇਨ ਸੱਦਾ
ta உறுதி உறுதிப்படுத்த* சரிபார்* செயல்படுத்த* கடவுச்சொல்* மீட்டமை* உள்நுழை* அழைப்பு* ஏற்க*
te ధృవీకరిం* నిర్ధారిం* ధృవీకరణ సక్రియం* యాక్టివేట్ పాస్‌వర్డ్* రీసెట్ లాగిన్ సైన్ ఆహ్వాన*
kn ದೃಢೀಕರಿ* ಪರಿಶೀಲಿ* ಸಕ್ರಿಯ* ಪಾಸ್‌ವರ್ಡ್* ಮರುಹೊಂದಿ* ಲಾಗಿನ್ ಆಹ್ವಾನ*
ml സ്ഥിരീകരി* പരിശോധി* സജീവ* പാസ്‌വേഡ്* പുനഃസജ്ജ* ലോഗിൻ ക്ഷണം*
si තහවුරු සත්‍යාපනය සක්‍රිය මුරපදය පුරනය ආරාධනා
th ยืนยัน เปิดใช้งาน รหัสผ่าน รีเซ็ต เข้าสู่ระบบ คำเชิญ เข้าร่วม ลงทะเบียน
lo ຢືນຢັນ ເປີດໃຊ້ ລະຫັດຜ່ານ ເຂົ້າສູ່ລະບົບ ຄຳເຊີນ
km បញ្ជាក់ ផ្ទៀងផ្ទាត់ ធ្វើឱ្យសកម្ម ពាក្យសម្ងាត់ ចូលគណនី ការអញ្ជើញ
my အတည်ပြု စိစစ် ဖွင့်ရန် စကားဝှက် ဝင်ရောက် ဖိတ်ကြား
vi xác xac kích kich đăng dang mật mat lời loi
id konfirmasi* verifikasi* aktifkan aktivasi* sandi password atur masuk undangan gabung bergabung pendaftaran
ms sahkan pengesahan aktifkan pengaktifan laluan tetapkan masuk jemputan sertai pendaftaran
tl kumpirmahin kumpirma i-verify patotohanan i-activate password i-reset mag-log imbitasyon
sw thibitish* hakik* amilisha nenosiri ingia mwaliko kujiunga usajili
so xaqiiji* hawlgeli* furaha gal martiqaad*
ha tabbatar* kalmar sirri shiga gayyat*
yo jerisi* ijerisi* ijẹrisi* fidi* oroigbaniwole oroaṣina wole ifiwepe*
ig kwenye nkwenye gosi rụọ okwuntughe paswọọdụ banye ọkpụkpọ
zu qinisekis* ukuqinisekis* yokuqinisekis* sebenzis* iphasiwedi ngena isimemo
xh qinisekis* ukuqinisekis* iphasiwedi ngena isimemo
rw emeza kwemeza ijambobanga injira ubutumire
mg hamarin* hamafis* tenimiafina fidira fanasana
am አረጋግጥ አረጋግጡ ማረጋገጫ ያረጋግጡ ለማረጋገጥ አግብር የይለፍ ቃል ይግቡ ግባ ግብዣ
ti ኣረጋግጽ ምርግጋጽ
ur تصدیق توثیق فعال پاس ورڈ ری سیٹ لاگ داخل دعوت قبول
ps تایید فعال پټنوم
ku pistrast* piştrast* çalak* nasnav* sifre* şifre* vexwendin*
eo konfirm* aktivig* pasvort* ensalut* invit*
`;

/** In the form of `code-words.ts`. */
export const ACT_WORDS = ACTS.trim()
  .split("\n")
  .flatMap((line) => {
    const [language = "", ...words] = line.split(" ");
    return words.map((word) => `${language} act ${word}`);
  })
  .join("\n");
