// Replies in German and Dutch, and one in a Nordic language.
import type { ReplySample } from "./sample.ts";

export const germanic: ReplySample[] = [
  {
    name: "Gmail, German",
    text: "Ja, passt.\n\nAm Mo., 1. Jan. 2024 um 10:00 Uhr schrieb Max Müller <max@example.com>:\n\n> Passt Dienstag?\n",
    expected: "Ja, passt.",
  },
  {
    name: "Gmail, German, wrapped",
    text: "Ja.\n\nAm Mo., 1. Jan. 2024 um 10:00 Uhr schrieb Maximilian Mustermann <\nmax.mustermann@example.com>:\n\n> Passt Dienstag?\n",
    expected: "Ja.",
  },
  {
    name: "Gmail mobile, German",
    text: "Ja.\n\nMax Müller <max@example.com> schrieb am Mo., 1. Jan. 2024,\n10:00:\n\n> Passt Dienstag?\n",
    expected: "Ja.",
  },
  {
    name: "Outlook, German",
    text: "Erledigt.\n\nVon: Max Müller <max@example.com>\nGesendet: Montag, 1. Januar 2024 10:00\nAn: Eva <eva@example.com>\nBetreff: AW: Rechnung\n\nBitte erledigen.\n",
    expected: "Erledigt.",
  },
  {
    name: "Outlook, old, German",
    text: "Erledigt.\n\n-----Ursprüngliche Nachricht-----\nVon: Max\nGesendet: Montag\nAn: Eva\nBetreff: x\n\nBitte.\n",
    expected: "Erledigt.",
  },
  {
    name: "GMX, German",
    text: 'Danke!\n \n\nGesendet: Montag, 01. Januar 2024 um 10:00 Uhr\nVon: "Max Müller" <max@example.com>\nAn: eva@gmx.de\nBetreff: Frage\nHallo Eva\n',
    expected: "Danke!",
  },
  {
    name: "Web.de, plain, German",
    text: "Danke!\n\n> Gesendet: Montag, 01. Januar 2024\n> Von: Max\n> Hallo\n",
    expected: "Danke!",
  },
  {
    name: "iPhone, German",
    text: "Bin unterwegs\n\nVon meinem iPhone gesendet\n\n> Am 01.01.2024 um 10:00 schrieb Max Müller <max@example.com>:\n> \n> Wo bist du?\n",
    expected: "Bin unterwegs",
  },
  {
    name: "Thunderbird, German",
    text: "Am 01.01.24 um 10:00 schrieb Max Müller:\n> Fertig?\n\nFertig.\n\n-- \nEva\n",
    expected: "Fertig.",
  },
  {
    name: "Samsung, German",
    text: "Ok\n\nVon meinem Galaxy gesendet\n\n-------- Ursprüngliche Nachricht --------\nVon: Max <max@example.com>\nDatum: 01.01.24 10:00\nAn: eva@example.com\nBetreff: x\n\nalt\n",
    expected: "Ok",
  },
  {
    name: "Apple, forward with a comment, German",
    text: "Zur Info\n\nAnfang der weitergeleiteten Nachricht:\n\n> Von: Max\n> Betreff: x\n",
    expected: "Zur Info\n\nAnfang der weitergeleiteten Nachricht:\n\n> Von: Max\n> Betreff: x",
  },
  {
    name: "Gmail, Dutch",
    text: "Prima.\n\nOp ma 1 jan 2024 om 10:00 schreef Jan Jansen <jan@example.com>:\n\n> Lukt dinsdag?\n",
    expected: "Prima.",
  },
  {
    name: "iPhone, Dutch",
    text: "Onderweg\n\nVerstuurd vanaf mijn iPhone\n\n> Op 1 jan 2024 om 10:00 heeft Jan <jan@example.com> het volgende geschreven:\n> \n> Waar?\n",
    expected: "Onderweg",
  },
  {
    name: "Outlook, Dutch",
    text: "Gedaan.\n\nVan: Jan Jansen <jan@example.com>\nVerzonden: maandag 1 januari 2024 10:00\nAan: Piet\nOnderwerp: RE: x\n\nKan dat?\n",
    expected: "Gedaan.",
  },
  {
    name: "a dated introduction without an address or marks, Dutch: it may be the sender's own",
    text: "Gedaan.\n\nOp 01-01-2024 om 10:00 schreef Jan Jansen:\n\nKan dat?\n",
    expected: "Gedaan.\n\nOp 01-01-2024 om 10:00 schreef Jan Jansen:\n\nKan dat?",
  },
  {
    name: "Gmail, Danish",
    text: "Fint.\n\nDen man. 1. jan. 2024 kl. 10.00 skrev Ann <ann@example.com>:\n\n> Passer det?\n",
    expected: "Fint.",
  },
];
