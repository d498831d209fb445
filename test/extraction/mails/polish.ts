// Mails in Polish.
import type { Mail } from "./mail.ts";

export const polish: Mail[] = [
  {
    name: "pl: bank",
    from: "kontakt@bankwisla.example",
    subject: "Kod autoryzacyjny",
    text: `Szanowna Pani,

kod autoryzacyjny do przelewu na kwotę 1 820,00 PLN na rachunek ...4417 to 507193.

Kod jest ważny 3 minuty. Infolinia: 22 123 45 67.`,
    otp: "507193",
    link: null,
  },
  {
    name: "pl: kod weryfikacyjny",
    from: "noreply@ogloszenia.example",
    subject: "Twój kod weryfikacyjny",
    html: `<p>Cześć Kasia!</p><p>Wpisz poniższy kod, aby potwierdzić swój adres e-mail:</p><div>92 14 80</div><p>Kod wygaśnie 14.06.2026 o 17:20.</p><p>Ogłoszenia sp. z o.o., ul. Prosta 20, 00-850 Warszawa, NIP 5252525252</p>`,
    otp: "921480",
    link: null,
  },
  {
    name: "pl: potwierdź adres",
    from: "witaj@czytelnia.example",
    subject: "Potwierdź swój adres e-mail",
    html: `<p>Dziękujemy za rejestrację.</p><a href="https://czytelnia.example/aktywacja/b6d767d2">Potwierdzam adres</a><p><a href="https://czytelnia.example/regulamin">Regulamin</a> <a href="https://czytelnia.example/wypisz">Wypisz się</a></p>`,
    otp: null,
    link: "https://czytelnia.example/aktywacja/b6d767d2",
  },
  {
    name: "pl: reset hasła",
    from: "pomoc@allesklep.example",
    subject: "Zmiana hasła",
    text: "Otrzymaliśmy prośbę o zmianę hasła. Aby ustawić nowe hasło, kliknij:\n\nhttps://allesklep.example/haslo/zmien?k=Yq81\n\nJeśli to nie Ty, zignoruj tę wiadomość.",
    otp: null,
    link: "https://allesklep.example/haslo/zmien?k=Yq81",
  },
  {
    name: "pl: logowanie jednorazowe",
    from: "bezpieczenstwo@profil.example",
    subject: "Hasło jednorazowe do logowania",
    text: "Hasło jednorazowe: 4471 0082\nLogowanie z 09.01.2026, 22:14:07, IP 198.51.100.200.",
    otp: "44710082",
    link: null,
  },
  {
    name: "pl: kod odbioru z paczkomatu",
    from: "powiadomienia@paczkobox.example",
    subject: "Paczka czeka w Paczkoboxie KRA14M",
    text: "Paczka 520000012680041086770098 czeka do 12.05.2026, godz. 18:00.\nKod odbioru: 613 482\nPaczkobox KRA14M, ul. Długa 14.",
    otp: "613482",
    link: null,
  },
  {
    name: "pl: kod na początku",
    from: "info@muzyka.example",
    subject: "48213 to Twój kod logowania",
    text: "Nie udostępniaj go nikomu. Kod wygasa po 10 minutach.",
    otp: "48213",
    link: null,
  },
  {
    name: "pl: faktura",
    from: "faktury@energia.example",
    subject: "Faktura FV/2026/05/001842",
    text: "Numer klienta: 30048291\nKwota do zapłaty: 214,38 zł\nTermin: 27.05.2026\nNumer konta: 61 1090 1014 0000 0712 1981 2874\nhttps://energia.example/ebok",
    otp: null,
    link: null,
  },
  {
    name: "pl: kod rabatowy",
    from: "promocje@buty.example",
    subject: "Kod rabatowy WIOSNA25 tylko dziś",
    text: "Z kodem rabatowym WIOSNA25 kupisz 25% taniej. Kod pocztowy podaj przy dostawie, np. 31-150. https://buty.example/promo",
    otp: null,
    link: null,
  },
  {
    name: "pl: wizyta",
    from: "rejestracja@przychodnia.example",
    subject: "Przypomnienie o wizycie",
    text: "Wizyta: 18.09.2026 o 11:45, gabinet 204, lek. Anna Zielińska. Numer wizyty 7712093. Odwołanie: 12 345 67 89.",
    otp: null,
    link: null,
  },
];
