// Mails in Turkish.
import type { Mail } from "./mail.ts";

export const turkish: Mail[] = [
  {
    name: "tr: banka",
    from: "bilgi@bogazbank.example",
    subject: "İşlem onay şifresi",
    text: `Sayın Müşterimiz,

5678 ile biten kartınızla 12.03.2026 saat 14:22'de yapılan 1.499,90 TL tutarındaki işlem için onay şifreniz: 340918

Şifrenizi kimseyle paylaşmayınız. 444 0 123`,
    otp: "340918",
    link: null,
  },
  {
    name: "tr: doğrulama kodu",
    from: "noreply@yemekgel.example",
    subject: "Doğrulama kodunuz",
    html: `<p>Merhaba Elif,</p><p>Doğrulama kodun:</p><p style="font-size:30px">605 117</p><p>Kod 3 dakika geçerlidir.</p><p>Yemekgel A.Ş. Büyükdere Cad. No:193, 34394 İstanbul</p>`,
    otp: "605117",
    link: null,
  },
  {
    name: "tr: e-posta onayı",
    from: "merhaba@kitapyurdum.example",
    subject: "E-posta adresinizi doğrulayın",
    html: `<p>Üyeliğinizi tamamlamak için aşağıdaki butona tıklayın.</p><a href="https://kitapyurdum.example/uyelik/onay/1f0e3d">E-postamı doğrula</a><p><a href="https://kitapyurdum.example/gizlilik">Gizlilik</a> <a href="https://kitapyurdum.example/abonelikten-cik">Abonelikten çık</a></p>`,
    otp: null,
    link: "https://kitapyurdum.example/uyelik/onay/1f0e3d",
  },
  {
    name: "tr: şifre sıfırlama",
    from: "destek@pazar.example",
    subject: "Şifre sıfırlama talebi",
    text: "Şifrenizi sıfırlamak için aşağıdaki bağlantıya tıklayın:\nhttps://pazar.example/s/98dce83d\nBağlantı 1 saat içinde geçerliliğini yitirir.",
    otp: null,
    link: "https://pazar.example/s/98dce83d",
  },
  {
    name: "tr: tek kullanımlık",
    from: "noreply@edevlet.example",
    subject: "Tek kullanımlık şifre",
    text: "e-Devlet girişi için tek kullanımlık şifreniz 77120934'tür. Başvuru no: 2026-118802.",
    otp: "77120934",
    link: null,
  },
  {
    name: "tr: giriş kodu başta",
    from: "guvenlik@sohbet.example",
    subject: "91827 Sohbet giriş kodunuz",
    text: "Giriş yapmaya çalışan siz değilseniz bu e-postayı dikkate almayın.",
    otp: "91827",
    link: null,
  },
  {
    name: "tr: hesap aktivasyonu",
    from: "kayit@oyun.example",
    subject: "Hesabını etkinleştir",
    text: "Kaydın alındı! Hesabını etkinleştirmek için: https://oyun.example/aktivasyon?kod=Qx81&u=55210\nOyun ID: 55210",
    otp: null,
    link: "https://oyun.example/aktivasyon?kod=Qx81&u=55210",
  },
  {
    name: "tr: sipariş",
    from: "siparis@pazar.example",
    subject: "Siparişiniz alındı: 1049928831",
    text: "Sipariş numaranız 1049928831. Toplam 849,00 TL. Teslimat 21 Nisan 2026. Müşteri hizmetleri 0850 222 33 44.",
    otp: null,
    link: null,
  },
  {
    name: "tr: indirim kodu",
    from: "kampanya@giyim.example",
    subject: "İndirim kodunuz: YAZ30",
    text: "YAZ30 indirim kodu ile sepette %30 indirim. Son gün 31.07.2026. https://giyim.example/kampanya",
    otp: null,
    link: null,
  },
  {
    name: "tr: kargo",
    from: "bilgi@hizlikargo.example",
    subject: "Kargonuz yola çıktı",
    text: "Kargo takip numarası: 734829913377. Gönderi 2 gün içinde teslim edilecektir. Posta kodu 06100. Takip: https://hizlikargo.example/t/734829913377",
    otp: null,
    link: null,
  },
];
