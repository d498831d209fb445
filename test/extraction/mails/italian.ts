// Mails in Italian.
import type { Mail } from "./mail.ts";

export const italian: Mail[] = [
  {
    name: "it: banca",
    from: "sicurezza@bancalago.example",
    subject: "Codice di conferma operazione",
    text: `Gentile Cliente,

per confermare il bonifico di € 780,00 verso IT60 X054 2811 1010 0000 0123 456 inserisca il codice OTP 093 771.

Valido 120 secondi. Numero verde 800 20 30 40.`,
    otp: "093771",
    link: null,
  },
  {
    name: "it: codice di verifica",
    from: "noreply@viaggiamo.example",
    subject: "Il tuo codice di verifica",
    html: `<p>Ciao Giulia,</p><p>ecco il tuo codice di verifica:</p><h1>58214</h1><p>Scade tra 10 minuti.</p><p>Viaggiamo S.r.l., Via Roma 25, 20121 Milano, P.IVA 01234567890</p>`,
    otp: "58214",
    link: null,
  },
  {
    name: "it: conferma indirizzo",
    from: "ciao@ricette.example",
    subject: "Conferma il tuo indirizzo email",
    html: `<p>Benvenuto! Clicca per confermare il tuo indirizzo email.</p><a href="https://ricette.example/conferma?h=9912aa">Conferma email</a><p><a href="https://ricette.example/privacy">Informativa sulla privacy</a> <a href="https://ricette.example/disiscriviti">Disiscriviti</a></p>`,
    otp: null,
    link: "https://ricette.example/conferma?h=9912aa",
  },
  {
    name: "it: reimposta password",
    from: "assistenza@scarpe.example",
    subject: "Reimposta la tua password",
    text: "Ciao,\nabbiamo ricevuto una richiesta di reimpostazione della password. Apri questo link entro 24 ore:\nhttps://scarpe.example/a/xk29fa0c\nSe non l'hai richiesta tu, ignora questa email.",
    otp: null,
    link: "https://scarpe.example/a/xk29fa0c",
  },
  {
    name: "it: identità digitale",
    from: "noreply@identita.example",
    subject: "Codice temporaneo di accesso",
    text: "È stato richiesto un accesso al servizio INPS in data 14/10/2026 ore 12:01. Codice temporaneo: 440918. Non comunicarlo a nessuno.",
    otp: "440918",
    link: null,
  },
  {
    name: "it: attiva account",
    from: "registrazioni@giochi.example",
    subject: "Attiva il tuo account",
    text: "Grazie per esserti registrato, Drago_88!\n\nPer attivare l'account visita:\nhttps://giochi.example/registrazione?azione=attiva&utente=20881&chiave=ff01\n\nNumero utente: 20881",
    otp: null,
    link: "https://giochi.example/registrazione?azione=attiva&utente=20881&chiave=ff01",
  },
  {
    name: "it: password monouso nel testo",
    from: "servizi@comune.example",
    subject: "Accesso ai servizi online",
    text: "La password monouso per completare l'accesso è 7719-3325. La pratica n. 2026/8841 resta disponibile per 30 giorni.",
    otp: "77193325",
    link: null,
  },
  {
    name: "it: bolletta",
    from: "bollette@luceverde.example",
    subject: "Bolletta n. 4400918273",
    text: "Codice cliente: 882 103 445\nPOD IT001E12345678\nImporto € 96,40, scadenza 21/07/2026\nPronto intervento 800 901 515\nhttps://luceverde.example/area-clienti",
    otp: null,
    link: null,
  },
  {
    name: "it: codice sconto",
    from: "news@profumi.example",
    subject: "Per te il codice sconto BACIO15",
    text: "Inserisci il codice sconto BACIO15 alla cassa e risparmia il 15%. Valido fino al 14/02/2026. https://profumi.example/saldi",
    otp: null,
    link: null,
  },
  {
    name: "it: biglietto del treno",
    from: "biglietti@treni.example",
    subject: "Il tuo biglietto: Codice prenotazione (PNR) H7K2QX",
    text: "Codice prenotazione (PNR): H7K2QX\nTreno 9524, carrozza 4, posto 12A\nMilano C.le 10:10, Roma Termini 13:20, 28/05/2026\nCodice cliente 100482913",
    otp: null,
    link: null,
  },
];
