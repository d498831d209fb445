// Replies in French, Spanish, Portuguese and Italian.
import type { ReplySample } from "./sample.ts";

export const romance: ReplySample[] = [
  {
    name: "Gmail, French",
    text: "Oui, parfait.\n\nLe lun. 1 janv. 2024 à 10:00, Anne Durand <anne@example.com> a écrit :\n\n> Mardi ?\n",
    expected: "Oui, parfait.",
  },
  {
    name: "Gmail, French, wrapped",
    text: "Oui.\n\nLe lun. 1 janv. 2024 à 10:00, Anne-Sophie de la Rochefoucauld <anne@example.com>\na écrit :\n\n> Mardi ?\n",
    expected: "Oui.",
  },
  {
    name: "Outlook, French",
    text: "C'est fait.\n\nDe : Anne Durand <anne@example.com>\nEnvoyé : lundi 1 janvier 2024 10:00\nÀ : Paul\nObjet : RE: facture\n\nMerci de le faire.\n",
    expected: "C'est fait.",
  },
  {
    name: "iPhone, French",
    text: "J'arrive\n\nEnvoyé de mon iPhone\n\n> Le 1 janv. 2024 à 10:00, Anne <anne@example.com> a écrit :\n> \n> Où es-tu ?\n",
    expected: "J'arrive",
  },
  {
    name: "Outlook, old, French",
    text: "Fait.\n\n-----Message d'origine-----\nDe : Anne\nEnvoyé : lundi\nÀ : Paul\nObjet : x\n\nvieux\n",
    expected: "Fait.",
  },
  {
    name: "Thunderbird, French",
    text: "Le 01/01/2024 à 10:00, Anne a écrit :\n> C'est bon ?\n\nC'est bon.\n",
    expected: "C'est bon.",
  },
  {
    name: "Gmail, Spanish",
    text: "Sí, perfecto.\n\nEl lun, 1 ene 2024 a las 10:00, Ana Pérez (<ana@example.com>) escribió:\n\n> ¿El martes?\n",
    expected: "Sí, perfecto.",
  },
  {
    name: "Outlook, Spanish",
    text: "Hecho.\n\nDe: Ana Pérez <ana@example.com>\nEnviado el: lunes, 1 de enero de 2024 10:00\nPara: Luis\nAsunto: RE: factura\n\nPor favor.\n",
    expected: "Hecho.",
  },
  {
    name: "iPhone, Spanish",
    text: "Voy\n\nEnviado desde mi iPhone\n\n> El 1 ene 2024, a las 10:00, Ana <ana@example.com> escribió:\n> \n> ¿Dónde?\n",
    expected: "Voy",
  },
  {
    name: "Yahoo, Spanish, no marks",
    text: "Hecho.\n\nEl lunes, 1 de enero de 2024, 10:00:00 CET, Ana <ana@example.com> escribió:\n\nPor favor.\n",
    expected: "Hecho.",
  },
  {
    name: "Gmail, Portuguese",
    text: "Sim.\n\nEm seg., 1 de jan. de 2024 às 10:00, Ana Silva <ana@example.com> escreveu:\n\n> Terça?\n",
    expected: "Sim.",
  },
  {
    name: "Outlook, Portuguese",
    text: "Feito.\n\nDe: Ana Silva <ana@example.com>\nEnviada em: segunda-feira, 1 de janeiro de 2024 10:00\nPara: Rui\nAssunto: RES: fatura\n\nPor favor.\n",
    expected: "Feito.",
  },
  {
    name: "iPhone, Portuguese",
    text: "A caminho\n\nEnviado do meu iPhone\n\n> Em 1 de jan. de 2024, à(s) 10:00, Ana <ana@example.com> escreveu:\n> \n> Onde?\n",
    expected: "A caminho",
  },
  {
    name: "Gmail, Italian",
    text: "Sì.\n\nIl giorno lun 1 gen 2024 alle ore 10:00 Anna Rossi <anna@example.com> ha scritto:\n\n> Martedì?\n",
    expected: "Sì.",
  },
  {
    name: "Gmail, Italian, wrapped",
    text: "Sì.\n\nIl giorno lun 1 gen 2024 alle ore 10:00 Anna Rossi <anna@example.com>\nha scritto:\n\n> Martedì?\n",
    expected: "Sì.",
  },
  {
    name: "Outlook, Italian",
    text: "Fatto.\n\nDa: Anna Rossi <anna@example.com>\nInviato: lunedì 1 gennaio 2024 10:00\nA: Luca\nOggetto: R: fattura\n\nPer favore.\n",
    expected: "Fatto.",
  },
  {
    name: "iPhone, Italian",
    text: "Arrivo\n\nInviato da iPhone\n\n> Il giorno 1 gen 2024, alle ore 10:00, Anna <anna@example.com> ha scritto:\n> \n> Dove?\n",
    expected: "Arrivo",
  },
  {
    name: "Apple, forward with a comment, Italian",
    text: "Vedi sotto\n\nInizio messaggio inoltrato:\n\n> Da: Anna\n",
    expected: "Vedi sotto\n\nInizio messaggio inoltrato:\n\n> Da: Anna",
  },
];
