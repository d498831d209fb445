// Mails in French.
import type { Mail } from "./mail.ts";

export const french: Mail[] = [
  {
    name: "fr: banque, code et montant",
    from: "securite@banqueduport.example",
    subject: "Validation de votre achat",
    text: `Bonjour,

Pour valider votre achat de 349,90 € chez VOYAGES BLEUS le 12/05/2026 avec votre carte se terminant par 8812, saisissez le code à usage unique suivant : 604 817

Ce code est valable 10 minutes. Ne le communiquez à personne, pas même à votre conseiller (09 69 39 00 00).`,
    otp: "604817",
    link: null,
  },
  {
    name: "fr: code de vérification dans une cellule",
    from: "ne-pas-repondre@covoit.example",
    subject: "Votre code de vérification",
    html: `<table><tr><td>Bonjour Amélie,</td></tr><tr><td>Voici votre code de vérification :</td></tr><tr><td align="center"><span>382914</span></td></tr>
<tr><td>Il expire dans 30 minutes.</td></tr><tr><td>Covoit SAS, 84 avenue de la République, 75011 Paris, RCS 491 904 546</td></tr></table>`,
    otp: "382914",
    link: null,
  },
  {
    name: "fr: confirmer l'adresse",
    from: "bonjour@recettes.example",
    subject: "Confirmez votre inscription",
    html: `<p>Bienvenue&nbsp;! Pour activer votre compte, cliquez ci-dessous.</p><a href="https://recettes.example/inscription/c/5Tq8Zb1">Activer mon compte</a>
<p><a href="https://recettes.example/mentions-legales">Mentions légales</a> · <a href="https://recettes.example/desinscription">Se désinscrire</a> · <a href="https://facebook.com/recettes">Facebook</a></p>`,
    otp: null,
    link: "https://recettes.example/inscription/c/5Tq8Zb1",
  },
  {
    name: "fr: mot de passe oublié",
    from: "service@trainvite.example",
    subject: "Réinitialisation de votre mot de passe",
    text: `Bonjour,

Vous avez demandé la réinitialisation de votre mot de passe. Cliquez sur le lien suivant (valable 2 heures) :

https://compte.trainvite.example/mdp/reinitialiser?jeton=QmFzZTY0

Vous n'êtes pas à l'origine de cette demande ? Ignorez ce message.
Service client : 36 35 (0,40 €/min).`,
    otp: null,
    link: "https://compte.trainvite.example/mdp/reinitialiser?jeton=QmFzZTY0",
  },
  {
    name: "fr: lien de connexion",
    from: "connexion@lemedia.example",
    subject: "Votre lien de connexion",
    html: `<p>Cliquez sur le bouton pour vous connecter au Média. Le lien ne fonctionne qu'une fois.</p><p><a href="https://lemedia.example/entrer/0b9d2a77c1">Me connecter</a></p><p><a href="https://lemedia.example">lemedia.example</a></p>`,
    otp: null,
    link: "https://lemedia.example/entrer/0b9d2a77c1",
  },
  {
    name: "fr: service public",
    from: "nepasrepondre@service-public.example",
    subject: "Code d'accès temporaire",
    text: `Madame, Monsieur,

Votre numéro fiscal : 30 23 217 600 053
Votre code d’accès temporaire : 9021
Demande effectuée le 04/01/2026 à 08h15.

Ne répondez pas à ce courriel.`,
    otp: "9021",
    link: null,
  },
  {
    name: "fr: c'est le code qui est en tête",
    from: "no-reply@pixigame.example",
    subject: "Connexion à Pixigame",
    text: "771203 est votre code de connexion Pixigame. Il expire dans 5 minutes.",
    otp: "771203",
    link: null,
  },
  {
    name: "fr: facture",
    from: "facturation@telecom.example",
    subject: "Votre facture n° F2026-338120 est disponible",
    text: `Montant : 29,99 €
Numéro de client : 6 4402 118
Ligne : 06 12 34 56 78
Prélèvement le 05/06/2026.
Consultez-la dans votre espace client : https://telecom.example/espace-client/factures`,
    otp: null,
    link: null,
  },
  {
    name: "fr: code promo",
    from: "offres@chausse.example",
    subject: "-15% avec le code promo PRINTEMPS15",
    text: "Profitez de 15 % de remise avec le code promo PRINTEMPS15 jusqu'au 30/04/2026. https://chausse.example/promo\nCode postal requis à la livraison (ex. 69003).",
    otp: null,
    link: null,
  },
  {
    name: "fr: colis",
    from: "suivi@colisexpress.example",
    subject: "Votre colis 6A12345678901 est en route",
    html: `<p>Votre colis n° <b>6A12345678901</b> (commande 88120043) sera livré le mardi 9 juin entre 9h et 12h.</p><a href="https://colisexpress.example/suivi?c=6A12345678901">Suivre mon colis</a>`,
    otp: null,
    link: null,
  },
  {
    name: "fr: nouvelle connexion",
    from: "alerte@boitemail.example",
    subject: "Nouvelle connexion à votre compte",
    text: "Connexion depuis Lyon, le 18 mars 2026 à 21:07, adresse IP 192.0.2.200, Firefox 128.0. Si c'était vous, vous n'avez rien à faire. Besoin d'aide ? 01 55 55 12 34.",
    otp: null,
    link: null,
  },
];
