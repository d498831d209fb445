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
sr potvrd* aktivir* lozink* prijav* потврд* активир* лозинк* пријав* заврши* потпиши* potpisi* prihvat* прихват* откључ* деблок* одблок* otključ* deblok* odblok* регистр* ресет* reset*
mk потврд* активирај* лозинк* најав* заврши* потпиш* прифат* одблок* отклуч* регистр* ресет*
bg потвърд* активира* парол* вход* влезте завърш* нулира* подпиш* прием* отблок* отключ* регистр* ресет*
uk підтверд* активу* парол* увійти увійдіть вход* вхід скинут* завершіт* відновл* підпиш* підписати прийня* прийм* розблок* реєстр* скидан*
be пацверд* актывав* парол* увайс* прыня* прым* разблак* рэгістр* скінуц*
hu erosits* megerosit* aktival* jelszo* visszaallit* belep* bejelentkez* regisztrac* alairas* elfogad* felold*
ro confirm* verific* activ* parol* autentific* conecta* inregistr* finaliz* semnati semneaza debloc* reset*
sq konfirm* verifik* aktiviz* fjalekalim* rivendos* hyni regjistr* prano* zhbllok* shkyc*
el επιβεβαι* επαληθευ* ενεργοποι* κωδικ* επαναφορ* συνδε* συνδεσ* εγγραφ* ολοκληρ* υπογραψ* αποδοχ* αποδεχ* ξεκλειδω*
ca confirm* verific* activ* contrasenya restabl* acceptar registr* signeu signar accept* desbloquej*
gl confirm* verific* activ* contrasinal restabl* rexistr* acept* acced*
eu berretsi berrest* egiazta* aktiba* pasahitz* berrezarri* saioa erregistr* baieztatu onart* desblok*
cy cadarnha* cadarnhew* gadarnhew* gadarnha* chadarnha* dilys* ddilys* actifadu cyfrinair gyfrinair ailosod mewngofnod* cofrestr* gofrestr* derbyn* datgloi ddatgloi cadarnh* gadarnh* gwirio gwiriwch wirio fewngofnod* actifad* dderbyn parhau parhewch
ga dearbhaigh dhearbh* deimhnigh* gniomh* pasfhocal* glac* athshocr* claraigh cláraigh sínigh deimhn* dheimhn* fíoraigh fhíorú logáil* lean* phasfhocal ceadaigh chlárú athraigh
af bevestig* verifieer* aktiveer* wagwoord* voltooi* aanvaar* teken aansluit* ontsluit
mt ikkonferma* tikkonferma* kkonferma* verifika* attiva* password rregistra* accetta* idħol ivverifika kompli illoggja
lb bestateg* confirmer* aktive* passwuert* aloggen umell* akzept* aktivéier* zerécksetz* unhuel* aschreiw* verifizéier* zréckset* weider*
az tesdiq* dogrula* aktivlesdir* sifre* parol* berpa daxil qeydiyyat* qebul sıfırla*
kk раста* белсенд* құпиясөз* құпия қалпына кіру тіркел* қабыл* бұғаттан
ky ыраста* ырастоо* тастыкта* сырсөз* кирүү катталуу* кабыл* активдешт* калыбына ырасто* тастыкто* текшер* улант* өзгөрт* катта* катто* бекит*
uz tasdiqla* faollashtir* parol* tiklash kirish royxat* qabul yxat* roʻyxat* tasdiq* ozgartir* tekshir* кириш* kiring davom tiklang
tg тасдиқ* фаъол* рамз* парол* вуруд* қабул санҷ* барқарор* ворид* дохил* идома* гузарвожа* тағйир*
mn баталгаажуул* баталгаажуулах идэвхжүүл* нууц нэвтр* бүртгэл* сэргээ* зөвшөөр* баталга* идэвхж* үргэлжл* хүлээн солих шинэчл* бүртг*
hy հաստատ* ակտիվացն* գաղտնաբառ* վերականգն* մուտք* գրանց* ընդուն* ապաարգելափակ*
ka დაადასტურ* დასადასტურ* დადასტურ* გააქტიურ* აქტივაც* პაროლ* აღდგენ* შესვლ* რეგისტრაც* მიღებ* განბლოკ*
ar تأكيد تاكيد أكد تحقق التحقق توثيق تفعيل فعل كلمة المرور إعادة تعيين دخول الدخول قبول انضم وقع التوقيع اقبل
fa تأیید تایید تأييد فعال فعال‌سازی فعالسازی رمز گذرواژه بازنشانی ورود پذیرش امضا قبول
he אשר אישור אמת אימות הפעל הפעלה הפעלת סיסמה סיסמא הסיסמה איפוס כניסה התחבר* הצטרף הצטרפות חתמו לחתום לשחרר שחרור להתחבר להצטרף להפעיל
hi सत्यापित* सत्यापन* पुष्टि* सक्रिय* पासवर्ड* रीसेट* लॉगिन* साइन* स्वीकार* हस्ताक्षर* अनलॉक*
bn নিশ্চিত* যাচাই* যাচাইকরণ* সক্রিয়* পাসওয়ার্ড* রিসেট* লগইন* সাইন* গ্রহণ* আনলক*
mr सत्यापित* पडताळणी* पुष्टी* सक्रिय* पासवर्ड* रीसेट* लॉगिन* स्वीकार* अनलॉक*
ne प्रमाणित* पुष्टि* सक्रिय* पासवर्ड* रिसेट* लगइन* स्वीकार* अनलक*
gu ચકાસ* પુષ્ટિ* સક્રિય* પાસવર્ડ* રીસેટ* લૉગિન* સ્વીકાર* અનલૉક* અનલોક*
pa ਪੁਸ਼ਟੀ* ਤਸਦੀਕ* ਸਰਗਰਮ* ਪਾਸਵਰਡ* ਰੀਸੈੱਟ* ਲੌਗਇਨ* ਸਵੀਕਾਰ* ਅਨਲੌਕ* ਅਨਲਾਕ*
ta உறுதி* உறுதிப்படுத்த* சரிபார்* செயல்படுத்த* கடவுச்சொல்* மீட்டமை* உள்நுழை* ஏற்க* அன்லாக்*
te ధృవీకరిం* నిర్ధారిం* ధృవీకరణ* సక్రియం* యాక్టివేట్* పాస్‌వర్డ్* రీసెట్* లాగిన్* సైన్* అంగీకరి* అన్‌లాక్*
kn ದೃಢೀಕರಿ* ಪರಿಶೀಲಿ* ಸಕ್ರಿಯ* ಪಾಸ್‌ವರ್ಡ್* ಮರುಹೊಂದಿ* ಲಾಗಿನ್* ಸ್ವೀಕರಿ* ಅನ್‌ಲಾಕ್* ಮುಂದುವರಿ* ಮುಂದುವರೆ*
ml സ്ഥിരീകരി* പരിശോധി* സജീവ* പാസ്‌വേഡ്* പുനഃസജ്ജ* ലോഗിൻ* സ്വീകരി* അൺലോക്ക്* സ്ഥിരീക* പരിശോധ* റീസെറ്റ്* അംഗീക* സ്വീകര* തുടര* പാസ്‌വേഡ* വെരിഫൈ* സൈൻ ഉറപ്പാ*
si තහවුරු* සත්‍යාපනය* සක්‍රිය* මුරපදය* පුරනය* පිළිගන්න පිවිස* සක්‍රීය* සත්‍යාපන* යළි ඉදිරියට දිගටම මුරපද* ලියාපදිංචි* අනුමත* වෙනස් ලොග්*
th ยืนยัน เปิดใช้งาน รหัสผ่าน รีเซ็ต เข้าสู่ระบบ เข้าร่วม ลงทะเบียน ลงนาม ยอมรับ ปลดล็อก ปลดล็อค
lo ຢືນຢັນ ເປີດໃຊ້ ລະຫັດຜ່ານ ເຂົ້າສູ່ລະບົບ ຍອມຮັບ ປົດລັອກ ຢັ້ງຢືນ ຣີເຊັດ ສືບຕໍ່ ດຳເນີນການ ລົງທະບຽນ ຕັ້ງລະຫັດ ກູ້ຄືນ
km បញ្ជាក់ ផ្ទៀងផ្ទាត់ ធ្វើឱ្យសកម្ម ពាក្យសម្ងាត់ ចូលគណនី ទទួលយក ដោះសោ ចូល បន្ត កំណត់ យល់ព្រម សកម្ម ចុះឈ្មោះ ប្តូរ ប្ដូរ
my အတည်ပြု စိစစ် ဖွင့်ရန် စကားဝှက် ဝင်ရောက် လက်ခံ အသက်သွင်း ဆက်လက် ဆက်သွား ပြန်လည်သတ်မှတ် မှတ်ပုံတင်
vi xác xac kích kich đăng dang chấp khẩu minh nhận hoạt nhập tiếp khôi phục
id konfirmasi* verifikasi* aktifkan aktivasi* sandi password atur masuk gabung bergabung pendaftaran tandatangani
ms sahkan pengesahan aktifkan pengaktifan laluan tetapkan masuk sertai pendaftaran tandatangani
tl kumpirma* i-verify patotohanan i-activate password i-reset mag-log lagdaan pirmahan pakikumpirma* tanggap*
sw thibitish* hakik* amilisha nenosiri ingia kujiunga usajili kubali*
so xaqiiji* hawlgeli* furaha gal aqbal* xaqiij* hubi* sii-wad* firfircoon* beddel* diiwaan* oggol* ansixi* gali soo-gal
ha tabbatar* kalmar sirri shiga karɓ* kunna saita* amince* canza buɗe* rajist* cigaba ci-gaba yarda
yo jeriisi* jerisi* ijerisi* ijẹrisi* fidi* oroigbaniwole oroaṣina wole fọwọ́sí tẹ̀síwájú igbaniwole àtúntò yípadà
ig kwado kwenye nkwenye gosi rụọ okwuntughe paswọọdụ banye nyochaa gbanye tọgharịa nabata debanye gbanwee meghee ịkwado
zu qinisekis* ukuqinisekis* yokuqinisekis* sebenzis* iphasiwedi ngena yamukel* vumela shintsha gunyaza ukungena
xh qinisekis* ukuqinisekis* iphasiwedi ngena yamkel* qhubeka qhubela vuselela seta tshintsha sayina
rw emeza kwemeza ijambobanga injira komeza hindura emera kwemera
mg hamarin* hamafis* tenimiafina fidira ekeo manaiky tohizo manohy midira miditra
am አረጋግጥ አረጋግጡ ማረጋገጫ ያረጋግጡ ለማረጋገጥ አግብር የይለፍ ቃል ይግቡ ግባ ተቀበል* ተቀበሉ
ti ኣረጋግጽ ምርግጋጽ ኣረጋግ* እቶ ቀጽል* ቀጽሉ ተቐበል* ፓስዎርድ* ንምርግጋ* ቀይር* ተመዝገብ*
ur تصدیق توثیق فعال پاس ورڈ ری سیٹ لاگ داخل قبول
ps تایید فعال پټنوم ننوت* ننوځ* بدل* خلاص* ومنئ دوام ادامه پاسورډ ثبت
ku pistrast* piştrast* çalak* nasnav* sifre* şifre* bipejirîn* bidomîn* tomar* rastand* vegerand* domandin
eo konfirm* aktivig* pasvort* ensalut* restarig* akcept* kontrol* daŭrig* aliĝ* aprob* ŝanĝ*
fo vatta* staðfest* loyniorð* virkj* innrit* góðkenn* góðtak* nullstill* endurset* áfram rita
nn stadfest* aktiver* godkjenn* passord* innlogg* framhald*
br kadarna* gadarna* gwiria* ger-tremen kevre* gweredeka* asantiñ gwiri* kennask* asant* kenderc'hel adderaou* digeri* cheñch
gd dearbh* daingnich* facal-faire gnìomhaich* clàraich gabh ath-shuidh* logaich fosgail
mi whakau* manatoko* kupuhipa takiuru* whakaae* whakamana* whakahohe* whakatūturu* whakahou* rēhita* tautuhi haere
haw hooia* hōʻoia* hoʻomau ʻāpono komo hoʻololi
yi באשטעטיק* פאסווארט באשטעטיג* אקטיוויר* אננעמען אננעמט ווייטער פארזעצן אריינלאגירן צוריקשטעל* עפענט
oc confirmat* validat* senhal confirm* activar senhal* connexion reinicializ* validar connectar connectatz contunhar contunhatz
co cunfirm* cunferm* attivà accettà cunness* cunnett* accett* cuntinu* reinizializ* ripristin*
sd تصديق* پاسورڊ جاري ريسيٽ تبديل
ug جەزملە* تەستىقلا* ئاكتىپلا* پارول* جەزم* دەلىللە* قوبۇل داۋام* كىرىش* ئەسلىگە ئاكتىپ*
tt расла* активлаштыр* серсүз* теркәл* активлаш* дәвам* кабул торгыз* үзгәрт* керү* тикшер*
or ନିଶ୍ଚିତ* ଯାଞ୍ଚ* ସକ୍ରିୟ* ପାସୱାର୍ଡ* ଲଗଇନ* ଗ୍ରହଣ* ସ୍ୱୀକାର* ସତ୍ୟାପନ* ରିସେଟ* ଜାରି
as নিশ্চিত* সত্যাপন* সক্ৰিয়* পাছৱৰ্ড* লগইন* গ্ৰহণ* ৰিছেট* অব্যাহত আগবাঢ়ক খোলক
ny tsimikiz* vomerez* achinsinsi kutsimikiz* lowani pitirizani yambitsani sinthani bwezeretsani lembetsani kulowa
sn simbis* tambir* pasiwedhi kusimbis* gamuchira enderera pinda chinja vhura
st netefats* tiisets* amohel* phasewete tiisa dumela tswela tswelang tsoela fetola ngodisa ngolisa kena bula
tn netefats* tlhomamis* amogel* tswelela tsweletsa kwadisa dumelana tsosolosa
lg kakas* kkiriz* okukakasa okukkiriza weeyongere yingira okukyusa ggulawo
om mirkanees* fudhadh* iggitaa* galmeess* galmaa'* seeni seenaa fufi fufaa jijjiir* icciitii raggaas* haaroms*
sm faamaonia* amaonia* fa'amaon* faamaon* fa'aauau faaauau talia ulufale suia fa'agaoioi faagaoioi
hsb wobkruc* potwjerd* přizjew* aktiwizow* hesło hesła přiwza* wróćostaj*
tk tassykla* işjeňleşdir* tassyk* giriş* kabul dowam açarsöz* täzele*
gsw bestätig* aamäld* aagmäld* aktivier* fryschalt* passwort* zruggsetz* ilogg* iilogg* verifizier* aamelde aanäh wiiter wiitermache
nds bestätig* passwoort* fastleggen anmell* inlogg* freeschalt* torüchsett* annehmen wiedermaken trüchsett*
fy befêstig* ferifiear* aktivear* wachtwurd* oanmeld* ynlog* ynloch* registrear* akseptear* goedkar* ynskriuw* ûnderteken* trochgean* weromset* fierder feroarje
li bevestig* wachwaord* aanmeld* inlogg* aanmel* inlog* herstèl* wiejer doorgaon
wa acertin* elodj* continouw* candj* sicret verifyî*
fur conferm* ative ativâ iscrizion regjistr* jentre jentrâ acete acetâ
lld conferm* ativé parola azeté
rm conferm* verifitg* activar pled-clav* annunzi* acceptar cuntinuar cuntinuai reinizialis* midar
sc cunfirm* ativa atzet* ativare sighire sighi crae intrare
scn cunferm* cunfirm* attiva accetta virific* accitt* trasiri canciari palora
ast confirm* activar contraseñ* reanici* aceut* aniciar siguir continuar
lmo conferm* cambia continua
pms conferm* confirm*
dsb wobkšuś* wobkšuź* pśizjaw* gronidł* aktiwěr* slědkstaj* pókšac* pśiwze*
szl potwiyrdz* potwjyrdz* zaloguj* hasło hasła zweryfikuj* aktywuj* zresetuj* przijm* kōntynuuj* zmiyń* dalij
csb pòtwierdz* wlogùj* wlogòw* parola zalogòw* aktiwùj*
rue потверд* приголоси* гесл* приголос* приголош* актів* продовж* покрачов* прияти акцепт* змінити реґістр*
se duođaš* beassansán* sisačál* dohkkeh* sisalogg* joatk* beassansát* rievdad* nanne nannet logge dohkket rievdat
ckb دڵنیا* پشتڕاست* چالاک* نهێنی چوونەژوور* قبوڵ* قبوول* بەردەوام* تێپەڕەوشە* گۆڕین* ڕێکخستنەوە* پەسەند* سەلماندن* تۆمارکردن*
ba раҫла* активлаштыр* теркәл* ҡабул инеү* дауам* тергеҙ* үҙгәрт* серһүҙ* инергә инегеҙ
cv ҫирӗплет* çирĕплет* йышӑн* йышăн* улӑштар* улăштар* тӗрӗсле* тĕрĕсле* кӗме кĕме кӗрӗр кĕрĕр
ht konfime* verifye* modpas* konekte aksepte* konfim* reyinisyaliz* kontinye* rekiper* enskri* koneksyon chanje
jv mlebu aktifna* konfirmasi* verifikasi* aktifake ngaktifake tampa nampa terusake
su asup aktipkeun lebet tampi narima tarima
ilo kompirma* pasingked* ituloy agtultuloy awaten akseptaren serrek sumrek agrehistro
nso netefatš* amogel* tsena
ts tiyisis* amukel* nghena pfumela emahlweni cinca phasiwedi pfula tsarisa pfuxeta
ss cinisekis* yemukel* vuma chubeka shintja vula bhalisa setha
ve khwathisedz*
to fakapapau* fakamo'oni fakamoʻoni fakahū liliu lesisita fakangofua
fj vakadeitak* curu ciqoma tomana veisautaka
kl uppernars* akuer* ingerlaqqi* isissut* allanngortit* nalunaarsor* iserit iserneq
wo dëggal* nangu firndeel dugg duggal nangul wóoral soppi kontineel
ak sesa hyɛn
bo ར་སྤྲོད གཏན་འཁེལ ནང་འཛུལ གསང་ཚིག མུ་མཐུད བསྐྱར་སྒྲིག
ln ndima kondima kota fungola bongola kolanda kokoba
gn emoneĩ moneĩ hechajey eike jeike moambue emoambue ñe'ẽñemi tenonde myandy
bho जारी मंजूर खोलीं
os бабӕлвырд* бабæлвырд* бацӕуын бацæуын байгом* аивын
gv shickyr* foshil foshley caghlaa
tet aseita kontinua senha rekupera troka
kmr verast* pejir* têkeve têkevin têketin* berdewam* sifirkir* guher*
ff teeŋtin* jaɓde jokku jokkude seŋo naatde waylu finnde hurmin
ay chiqanchaña mantaña katuqaña iyawsaña saraskakiña mayjt'ayaña
mai प्रवेश बदलू
crh tasdıq* kirüv devam faalleştir* deñiştir* teşker* тасдыкъ* девам къабул кирюв
pap aseptá sigui kontraseña* kambia drenta aktivá
kw afydh* omgelm* degemer* pesya pesyewgh ger-tremena gwirhe* omrol* dasset*
bs nastav*
dv ޕާސްވޯޑު ކަށަވަރު* ވެރިފައި* ގަބޫލު ކުރިއަށް ލޮގްއިން ރީސެޓް* އެކްޓިވޭޓް*
war karawata padayon pagpadayon sulod rehistro
bm sɛgɛsɛgɛ yɛlɛma daminɛ
kok पुश्टी पडटाळणी मान्य फुडें बदलात
tpi konpemim konfemim opim senisim akseptim gohet paswot statim
ty haapapu tauiraa farii tamau
ceb ikumpirma pamatud-i mosulod pagsulod dawata dawaton ipadayon usba ilisi pag-sign
dz ངེས་བརྟན ནང་བསྐྱོད འཕྲོ་མཐུད ངོས་ལེན ཆོག་ཡིག བདེན་སྦྱོར
sah бигэргэт* сөбүлэс* уларыт* сөргүт* бэлиэтэн* киириҥ киирии киирэргэ салгыы
qu chiqaqcha* takyachi* yaykuy haykuy chaskiy kichariy tikrachiy
rn kwinjira bandanya kubandanya guhindura subiramwo fungura
ce тӏечӏагӏ* т1еч1аг1* чувала чувалар бакъде бакъдар хийца тӏеэца т1еэца тӏелаца
vec verifegar ativar acetar entrar reinpostar canbiar
ab ашьақәырӷәӷәара* шьақәырӷәӷәа* аҭалара* ишьақәшәырӷәӷәа шәҭала уҭала ажәамаӡа адкылара
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
be запраш* запрашэн*
hu meghiv*
ro invitat*
sq ftes*
el προσκλ*
ca invitac*
gl convit* convida*
eu gonbid*
cy gwahodd* wahodd*
ga cuireadh cuirfid* chuireadh gcuireadh
af uitnodig*
mt stedina* mistieden mistiedna
lb invitat* aluedung* alued*
az devet*
kk шақыру*
ky чакыруу* чакырыл* чакырат чакырды
uz taklif*
tg даъват* таклиф*
mn урилг* урьж
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
ml ക്ഷണം* ക്ഷണ*
si ආරාධනා* ආරාධන*
th คำเชิญ
lo ຄຳເຊີນ ເຊີນ
km ការអញ្ជើញ អញ្ជើញ
my ဖိတ်ကြား ဖိတ်ခေါ် ဖိတ်စာ
vi lời loi
id undangan
ms jemputan
tl imbitasyon
sw mwaliko
so martiqaad* casuum*
ha gayyat* gayyac*
yo ifiwepe*
ig ọkpụkpọ ịkpọ
zu isimemo ukumema
xh isimemo imem* uyamenywa
rw ubutumire watumiwe
mg fanasana asaina
am ግብዣ
ur دعوت
ku vexwendin* dawetname*
eo invit*
fy útnoeg* útnûg*
li oetneudig* oetnuud* oetnoed*
nds inlad* inlaadt
gsw iilad* yladig* iiglade
nn innbyding* innbyd*
fo innbjóð* innbjod*
se bovde*
br pedadenn* pediñ
hsb přeproš*
dsb pśepros* pśepšos*
rm invitaziun* envid*
fur invît invidât invidâ
sc cumbid*
oc convidaci* invitaci* convidat convidar
ht envitasyon* envit*
ckb بانگهێشت* بانگێشت*
ba саҡыр*
tt чакыру* чакыр*
tk çakylyk* çagyryl*
ug تەكلىپ*
ps بلنه بلنې بلنلیک
or ଆମନ୍ତ୍ରଣ* ନିମନ୍ତ୍ରଣ*
as আমন্ত্ৰণ* নিমন্ত্ৰণ*
tn taletso laletsa
nso taletšo laleditšwe
ny kuitan* kuyitan* mwaitan* mwayitan*
om affeerra* affeer*
ss simemo umenyiwe kumenywa
ts xirhambo rhamba rhambiwile
bo གདན་འདྲེན མགྲོན
ln libyangi libiangi
gn pepirũ ñepepirũ
bho नेवता न्योता
fj veisureti sureti
gv cuirrey
tet konvite konvida
gd cuiridhean
ilo awis imbitasion
kmr vexwend*
scn mmitu mmitari
sm valaaulia vala'aulia
st mema
ti ዕድመ*
wa priyî priyaedje
yi פארבעט*
ay jawsaña
mai निमन्त्रण हकार
crh давет*
dv ދަޢުވަތު ދައުވަތު
jv diundang ngundang
lg oyitiddwa
sn kokero wakokwa
su ondangan diondang
war imbitado
kok आपोवणें
tpi invaitim
ceb imbit* gidapit pagdapit
cv йыхрав* чӗнӳ
dz མགྲོན་བརྡ
kl qaaqqu*
mi pōwhiri*
sah ыҥырыы* ыҥыр*
szl zaproszyni* zaprosz*
rn gutumira
ce кхайкх* кхойкх*
to fakaafe*
ab ааԥхьара
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
