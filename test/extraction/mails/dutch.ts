// Mails in Dutch.
import type { Mail } from "./mail.ts";

export const dutch: Mail[] = [
  {
    name: "nl: bank",
    from: "noreply@grachtenbank.example",
    subject: "Uw bevestigingscode",
    text: `Beste heer De Vries,

U wilt € 640,00 overmaken naar NL91 ABNA 0417 1643 00. Uw bevestigingscode is 615 208.

De code is 5 minuten geldig. Vragen? Bel 020 123 45 67.`,
    otp: "615208",
    link: null,
  },
  {
    name: "nl: verificatiecode",
    from: "no-reply@fietsdeel.example",
    subject: "Je verificatiecode",
    html: `<p>Hoi Sanne,</p><p>Vul deze verificatiecode in:</p><p><strong>8841</strong></p><p>Fietsdeel B.V., Keizersgracht 241, 1016 EA Amsterdam, KvK 34207891</p>`,
    otp: "8841",
    link: null,
  },
  {
    name: "nl: e-mailadres bevestigen",
    from: "welkom@marktplein.example",
    subject: "Bevestig je e-mailadres",
    html: `<p>Leuk dat je er bent!</p><a href="https://marktplein.example/account/activeren/c81e728d">Bevestig e-mailadres</a><p><a href="https://marktplein.example/voorwaarden">Voorwaarden</a> · <a href="https://marktplein.example/afmelden">Afmelden</a></p>`,
    otp: null,
    link: "https://marktplein.example/account/activeren/c81e728d",
  },
  {
    name: "nl: wachtwoord herstellen",
    from: "klantenservice@bolletje.example",
    subject: "Nieuw wachtwoord aanvragen",
    text: "Hallo,\n\nKlik op de link om een nieuw wachtwoord in te stellen:\nhttps://login.bolletje.example/ww/7c4a8d09ca\n\nDe link werkt tot 21-10-2026 23:59.",
    otp: null,
    link: "https://login.bolletje.example/ww/7c4a8d09ca",
  },
  {
    name: "nl: inloglink en code",
    from: "inloggen@krant.example",
    subject: "Je inloglink voor De Krant",
    text: "Log in met één klik: https://krant.example/sessie/9QhX\n\nWerkt de link niet? Gebruik dan de inlogcode 330 719.",
    otp: "330719",
    link: "https://krant.example/sessie/9QhX",
  },
  {
    name: "nl: sms-code overheid",
    from: "noreply@digid.example",
    subject: "Uw eenmalige code",
    text: "Eenmalige code: HX4T9P. U vroeg deze code aan op 2 maart 2026 om 13.45 uur.",
    otp: "HX4T9P",
    link: null,
  },
  {
    name: "nl: uitnodiging",
    from: "team@planbord.example",
    subject: "Uitnodiging voor Planbord",
    html: `<p>Joost heeft je uitgenodigd voor het team Verkoop.</p><a href="https://planbord.example/t/882/a9f">Uitnodiging accepteren</a><p><a href="https://planbord.example">Meer over Planbord</a></p>`,
    otp: null,
    link: "https://planbord.example/t/882/a9f",
  },
  {
    name: "nl: bestelling",
    from: "bestellingen@keukenhof.example",
    subject: "Bedankt voor je bestelling 40028817",
    text: "Bestelnummer 40028817\nKlantnummer 118822\nTotaal € 54,95\nBezorging: vrijdag 8 mei, 18:00-20:00\nPostcode 3511 AB\nVolg je bestelling: https://keukenhof.example/b/40028817",
    otp: null,
    link: null,
  },
  {
    name: "nl: kortingscode",
    from: "nieuws@tuinidee.example",
    subject: "Jouw kortingscode: TUIN10",
    text: "Gebruik kortingscode TUIN10 voor 10% korting. Geldig t/m 30 juni 2026. https://tuinidee.example/aanbiedingen",
    otp: null,
    link: null,
  },
  {
    name: "nl: pakket",
    from: "info@pakjesdienst.example",
    subject: "Je pakket komt morgen",
    text: "Zending 3SABCD0123456789 komt morgen tussen 14:15 en 16:15. Wijzig bezorging: https://pakjesdienst.example/volg/3SABCD0123456789",
    otp: null,
    link: null,
  },
];
