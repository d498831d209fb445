// Mails in German.
import type { Mail } from "./mail.ts";

export const german: Mail[] = [
  {
    name: "de: Bank, TAN neben Betrag und IBAN",
    from: "service@sparhaus.example",
    subject: "Ihre TAN für die Überweisung",
    text: `Sehr geehrter Herr Brandt,

für Ihre Überweisung über 1.250,00 EUR an Stadtwerke Musterstadt, IBAN DE89 3704 0044 0532 0130 00, lautet die TAN: 481902

Die TAN ist 5 Minuten gültig. Bei Fragen erreichen Sie uns unter 0800 123 4567.

Sparhaus Bank AG · Hauptstraße 12 · 60311 Frankfurt · HRB 40811`,
    otp: "481902",
    link: null,
  },
  {
    name: "de: Bestätigungscode im HTML",
    from: "noreply@wanderfreund.example",
    subject: "Dein Bestätigungscode",
    html: `<p>Hallo Jule,</p><p>mit diesem Code bestätigst du deine E-Mail-Adresse:</p><table><tr><td style="font-size:28px"><b>71 40 33</b></td></tr></table>
<p>Der Code läuft am 12.04.2026 um 14:35 Uhr ab.</p><p>Wanderfreund GmbH, Am Berg 7, 83471 Berchtesgaden</p>`,
    otp: "714033",
    link: null,
  },
  {
    name: "de: E-Mail-Adresse bestätigen",
    from: "konto@buecherkiste.example",
    subject: "Bitte bestätigen Sie Ihre E-Mail-Adresse",
    html: `<p>Guten Tag Frau Albrecht,</p><p>vielen Dank für Ihre Registrierung. Nur noch ein Klick:</p>
<p><a href="https://www.buecherkiste.example/konto/bestaetigen/8f14e45fceea167a">E-Mail-Adresse bestätigen</a></p>
<p>Ihre Kundennummer: 20448817</p>
<p><a href="https://www.buecherkiste.example/impressum">Impressum</a> | <a href="https://www.buecherkiste.example/datenschutz">Datenschutz</a> | <a href="https://www.buecherkiste.example/newsletter/abmelden?k=20448817">Abmelden</a></p>`,
    otp: null,
    link: "https://www.buecherkiste.example/konto/bestaetigen/8f14e45fceea167a",
  },
  {
    name: "de: Passwort zurücksetzen im Text",
    from: "hilfe@autoteile24.example",
    subject: "Passwort vergessen?",
    text: `Hallo,

du hast ein neues Passwort angefordert. Klicke auf folgenden Link, um es zu vergeben:
https://www.autoteile24.example/passwort/neu?t=ab12cd34ef.

Der Link ist 24 Stunden gültig. Unser Support hilft unter 030 / 555 71 20.`,
    otp: null,
    link: "https://www.autoteile24.example/passwort/neu?t=ab12cd34ef",
  },
  {
    name: "de: Anmeldecode im Betreff",
    from: "sicherheit@mietwagen.example",
    subject: "Ihr Anmeldecode: 55021",
    text: "Geben Sie den Code aus dem Betreff auf der Anmeldeseite ein. Er gilt 15 Minuten. Geben Sie ihn niemals weiter.",
    otp: "55021",
    link: null,
  },
  {
    name: "de: Einladung annehmen",
    from: "team@aufgabenheld.example",
    subject: "Sie wurden zu „Projekt Nordlicht“ eingeladen",
    text: `Lena Fuchs lädt Sie ein, im Projekt Nordlicht mitzuarbeiten.

Einladung annehmen: https://aufgabenheld.example/i/k7Qm2x

Mehr über Aufgabenheld: https://aufgabenheld.example`,
    otp: null,
    link: "https://aufgabenheld.example/i/k7Qm2x",
  },
  {
    name: "de: Einmalpasswort mit Referenz",
    from: "portal@finanzamt.example",
    subject: "Ihr Einmalpasswort",
    text: `Aktenzeichen: 4711/0815-26
Vorgang vom 03.02.2026, 11:20 Uhr

Einmalpasswort
  84736251

Bitte geben Sie es binnen 10 Minuten ein.`,
    otp: "84736251",
    link: null,
  },
  {
    name: "de: Rechnung",
    from: "rechnung@stromwerk.example",
    subject: "Ihre Rechnung Nr. 2026-004418",
    text: `Rechnungsnummer: 2026-004418
Kundennummer: 887123
Zählerstand: 048213 kWh
Betrag: 84,19 EUR, fällig am 30.06.2026

Ihre Rechnung finden Sie im Kundenportal: https://stromwerk.example/portal/rechnungen/004418
Verwendungszweck: 887123-004418. Servicetelefon 0800 77 88 990.`,
    otp: null,
    link: null,
  },
  {
    name: "de: Gutscheincode",
    from: "news@modeherz.example",
    subject: "20 % auf alles mit Code SOMMER20",
    html: `<h1>20 % auf alles!</h1><p>Dein Gutscheincode: <b>SOMMER20</b></p><p>Gültig bis 31.08.2026, Mindestbestellwert 50 €.</p>
<a href="https://modeherz.example/sale?utm_source=mail">Jetzt shoppen</a> <a href="https://modeherz.example/abmelden">Newsletter abbestellen</a>`,
    otp: null,
    link: null,
  },
  {
    name: "de: Versandbestätigung",
    from: "versand@paketfix.example",
    subject: "Ihr Paket 00340434161094042557 ist unterwegs",
    text: `Sendungsnummer 00340434161094042557
Bestellnummer 302-5571923
Zustellung: Do., 14.05.2026 zwischen 10:00 und 13:00 Uhr
Sendung verfolgen: https://paketfix.example/verfolgen?id=00340434161094042557`,
    otp: null,
    link: null,
  },
  {
    name: "de: Passwort geändert",
    from: "sicherheit@postfach.example",
    subject: "Ihr Passwort wurde geändert",
    text: `Ihr Passwort wurde am 07.07.2026 um 18:04 Uhr geändert (IP 192.0.2.14).

Waren Sie das nicht? Rufen Sie uns an: +49 89 1234567, oder besuchen Sie https://postfach.example/hilfe.`,
    otp: null,
    link: null,
  },
];
