// Words of links that verify, sign in, reset or accept, in the languages that `link-words.ts` does not have: data for lexicon.ts.

/** A line for each language. `vahvist*` is the start of words. Words of scripts without spaces are found anywhere. */
const ACTS = `
da bekraft* bekraeft* verificer* aktiver* nulstil* adgangskode* kodeord* tilmeld* deltag* godkend* underskriv* accepter*
sv bekraft* verifier* aktiver* aterstall* losenord* logga slutfor* godkann* underteckna* signera* acceptera* godta*
nb bekreft* verifiser* aktiver* tilbakestill* passord* fullfor* godkjenn* signer* underskriv* godta* aksepter*
is staðfest* virkja* lykilorð* endurstill* innskra* skra* samþykk* aflæs*
fi vahvist* aktivoi* salasan* nollaa* kirjau* hyvaks* viimeistele* rekisteroi* allekirjoita* lukitu*
et kinnita* aktiveeri* parool* lahtesta* sisselog* logi registreeri* noustu* allkirjasta* aktsepteeri*
lv apstiprin* aktivi* parol* atiestat* pieslegt* pieteik* registr* parakst* pieņem* akcept* atbloķ*
lt patvirtin* aktyvuo* slaptazod* prisijung* registr* atstat* atkur* pasirasy* priim* atblok* atrakin*
cs potvrd* aktivuj* aktivov* aktivac* hesl* obnov* prihlas* prihlaseni dokonc* podepis* podepsat prijm* odblok* odemk*
sk potvrd* aktivuj* aktivov* aktivac* hesl* obnov* prihlas* dokonc* podpist* prijm* prijat odblok* odomk*
sl potrd* preveri* aktivir* gesl* ponastav* prijav* dokonca* podpisite podpisi sprejm* odklen* odblok*
hr potvrd* verificir* aktivir* lozink* resetir* prijav* dovrsi* zavrsi* potpisi* prihvat* otključ* deblok* odblok*
sr potvrd* aktivir* lozink* prijav* потврд* активир* лозинк* пријав* заврши* потпиши* potpisi* prihvat* прихват* откључ* деблок* одблок* otključ* deblok* odblok*
mk потврд* активирај* лозинк* најав* заврши* потпиш* прифат* одблок* отклуч*
bg потвърд* активира* парол* вход* влезте завърш* нулира* подпиш* прием* отблок* отключ*
uk підтверд* активу* парол* увійти увійдіть вход* вхід скинут* завершіт* відновл* підпиш* підписати прийня* прийм* розблок*
be пацверд* актывав* парол* увайс* прыня* прым* разблак*
hu erosits* megerosit* aktival* jelszo* visszaallit* belep* bejelentkez* regisztrac* alairas* elfogad* felold*
ro confirm* verific* activ* parol* autentific* conecta* inregistr* finaliz* semnati semneaza debloc*
sq konfirm* verifik* aktiviz* fjalekalim* rivendos* hyni regjistr* prano* zhbllok* shkyc*
el επιβεβαι* επαληθευ* ενεργοποι* κωδικ* επαναφορ* συνδε* συνδεσ* εγγραφ* ολοκληρ* υπογραψ* αποδοχ* αποδεχ* ξεκλειδω*
ca confirm* verific* activ* contrasenya restabl* acceptar registr* signeu signar accept* desbloquej*
gl confirm* verific* activ* contrasinal restabl* rexistr* acept*
eu berretsi berrest* egiazta* aktiba* pasahitz* berrezarri* saioa erregistr* baieztatu onart* desblok*
cy cadarnha* cadarnhew* gadarnhew* gadarnha* chadarnha* dilys* ddilys* actifadu cyfrinair gyfrinair ailosod mewngofnod* cofrestr* gofrestr* derbyn* datgloi ddatgloi
ga dearbhaigh dhearbh* deimhnigh* gniomh* pasfhocal* glac*
af bevestig* verifieer* aktiveer* wagwoord* voltooi* aanvaar* teken aansluit* ontsluit
mt ikkonferma* tikkonferma* kkonferma* verifika* attiva* password rregistra* accetta*
lb bestateg* confirmer* aktive* passwuert* aloggen umell* akzept*
az tesdiq* dogrula* aktivlesdir* sifre* parol* berpa daxil qeydiyyat* qebul
kk раста* белсенд* құпиясөз* құпия қалпына кіру тіркел* қабыл* бұғаттан
ky ырастa* ырастоо* тастыктa* сырсөз* кирүү катталуу* кабыл*
uz tasdiqla* faollashtir* parol* tiklash kirish royxat* qabul
tg тасдиқ* фаъол* рамз* парол* вуруд* қабул
mn баталгаажуул* баталгаажуулах идэвхжүүл* нууц нэвтр* бүртгэл*
hy հաստատ* ակտիվացն* գաղտնաբառ* վերականգն* մուտք* գրանց* ընդուն* ապաարգելափակ*
ka დაადასტურ* დასადასტურ* დადასტურ* გააქტიურ* აქტივაც* პაროლ* აღდგენ* შესვლ* რეგისტრაც* მიღებ* განბლოკ*
ar تأكيد تاكيد أكد تحقق التحقق توثيق تفعيل فعل كلمة المرور إعادة تعيين دخول الدخول قبول انضم وقع التوقيع اقبل
fa تأیید تایید تأييد فعال فعال‌سازی فعالسازی رمز گذرواژه بازنشانی ورود پذیرش امضا قبول
he אשר אישור אמת אימות הפעל הפעלה הפעלת סיסמה סיסמא הסיסמה איפוס כניסה התחבר* הצטרף הצטרפות חתמו לחתום לשחרר שחרור
hi सत्यापित* सत्यापन* पुष्टि* सक्रिय* पासवर्ड* रीसेट* लॉगिन* साइन* स्वीकार* हस्ताक्षर* अनलॉक*
bn নিশ্চিত* যাচাই* যাচাইকরণ* সক্রিয়* পাসওয়ার্ড* রিসেট* লগইন* সাইন* গ্রহণ* আনলক*
mr सत्यापित* पडताळणी* पुष्टी* सक्रिय* पासवर्ड* रीसेट* लॉगिन* स्वीकार* अनलॉक*
ne प्रमाणित* पुष्टि* सक्रिय* पासवर्ड* रिसेट* लगइन* स्वीकार* अनलक*
gu ચકાસ* પુષ્ટિ* સક્રિય* પાસવર્ડ* રીસેટ* લૉગિન* સ્વીકાર* અનલૉક* અનલોક*
pa ਪੁਸ਼ਟੀ* ਤਸਦੀਕ* ਸਰਗਰਮ* ਪਾਸਵਰਡ* ਰੀਸੈੱਟ* ਲੌਗਇਨ* ਸਵੀਕਾਰ* ਅਨਲੌਕ* ਅਨਲਾਕ*
ta உறுதி* உறுதிப்படுத்த* சரிபார்* செயல்படுத்த* கடவுச்சொல்* மீட்டமை* உள்நுழை* ஏற்க* அன்லாக்*
te ధృవీకరిం* నిర్ధారిం* ధృవీకరణ* సక్రియం* యాక్టివేట్* పాస్‌వర్డ్* రీసెట్* లాగిన్* సైన్* అంగీకరి* అన్‌లాక్*
kn ದೃಢೀಕರಿ* ಪರಿಶೀಲಿ* ಸಕ್ರಿಯ* ಪಾಸ್‌ವರ್ಡ್* ಮರುಹೊಂದಿ* ಲಾಗಿನ್* ಸ್ವೀಕರಿ* ಅನ್‌ಲಾಕ್*
ml സ്ഥിരീകരി* പരിശോധി* സജീവ* പാസ്‌വേഡ്* പുനഃസജ്ജ* ലോഗിൻ* സ്വീകരി* അൺലോക്ക്*
si තහවුරු* සත්‍යාපනය* සක්‍රිය* මුරපදය* පුරනය* පිළිගන්න
th ยืนยัน เปิดใช้งาน รหัสผ่าน รีเซ็ต เข้าสู่ระบบ เข้าร่วม ลงทะเบียน ลงนาม ยอมรับ ปลดล็อก ปลดล็อค
lo ຢືນຢັນ ເປີດໃຊ້ ລະຫັດຜ່ານ ເຂົ້າສູ່ລະບົບ ຍອມຮັບ ປົດລັອກ
km បញ្ជាក់ ផ្ទៀងផ្ទាត់ ធ្វើឱ្យសកម្ម ពាក្យសម្ងាត់ ចូលគណនី ទទួលយក ដោះសោ
my အတည်ပြု စိစစ် ဖွင့်ရန် စကားဝှက် ဝင်ရောက် လက်ခံ
vi xác xac kích kich đăng dang mật mat
id konfirmasi* verifikasi* aktifkan aktivasi* sandi password atur masuk gabung bergabung pendaftaran tandatangani terima
ms sahkan pengesahan aktifkan pengaktifan laluan tetapkan masuk sertai pendaftaran tandatangani terima
tl kumpirma* i-verify patotohanan i-activate password i-reset mag-log lagdaan pirmahan pakikumpirma* tanggap*
sw thibitish* hakik* amilisha nenosiri ingia kujiunga usajili kubali*
so xaqiiji* hawlgeli* furaha gal aqbal*
ha tabbatar* kalmar sirri shiga
yo jeriisi* jerisi* ijerisi* ijẹrisi* fidi* oroigbaniwole oroaṣina wole
ig kwado kwenye nkwenye gosi rụọ okwuntughe paswọọdụ banye
zu qinisekis* ukuqinisekis* yokuqinisekis* sebenzis* iphasiwedi ngena yamukel*
xh qinisekis* ukuqinisekis* iphasiwedi ngena yamkel*
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

const linesOf = (table: string, kind: string) =>
  table
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [language = "", ...words] = line.split(" ");
      return words.map((word) => `${language} ${kind} ${word}`);
    });

/** In the form of `code-words.ts`. */
export const ACT_WORDS = [...linesOf(ACTS, "act"), ...linesOf(INVITES, "invite"), ...linesOf(BOOKINGS, "other")].join(
  "\n",
);
