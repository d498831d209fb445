// Mails in thirteen languages, each in ten forms: codes in groups of digits, links with and without a code, and numbers that look like a
// code and are none.
import type { Mail } from "./mail.ts";

type Words = {
  language: string;
  subject: string;
  /** Announces a code by the bare noun: "Ihr Code lautet". */
  say: string;
  /** Announces it by a certain name: "Bestätigungscode". */
  label: string;
  /** A link that confirms an address. */
  confirm: string;
  order: string;
  phone: string;
  due: string;
  offer: string;
};

const WORDS: Words[] = [
  {
    language: "en",
    subject: "Sign in to Lumen",
    say: "Your code is",
    label: "Verification code",
    confirm: "Confirm your email address",
    order: "Your order number",
    phone: "Call us:",
    due: "Your invoice is due on",
    offer: "See the offers of this week",
  },
  {
    language: "de",
    subject: "Anmeldung bei Lumen",
    say: "Ihr Code lautet",
    label: "Bestätigungscode",
    confirm: "E-Mail-Adresse bestätigen",
    order: "Ihre Bestellnummer",
    phone: "Rufen Sie uns an:",
    due: "Ihre Rechnung ist fällig am",
    offer: "Zu den Angeboten der Woche",
  },
  {
    language: "fr",
    subject: "Connexion à Lumen",
    say: "Votre code est",
    label: "Code de vérification",
    confirm: "Confirmer votre adresse e-mail",
    order: "Votre numéro de commande",
    phone: "Téléphone :",
    due: "Votre facture est à payer le",
    offer: "Voir les offres de la semaine",
  },
  {
    language: "es",
    subject: "Iniciar sesión en Lumen",
    say: "Tu código es",
    label: "Código de verificación",
    confirm: "Confirma tu correo electrónico",
    order: "Tu número de pedido",
    phone: "Teléfono:",
    due: "Tu factura vence el",
    offer: "Ver las ofertas de la semana",
  },
  {
    language: "pt",
    subject: "Entrar no Lumen",
    say: "O seu código é",
    label: "Código de verificação",
    confirm: "Confirmar o seu e-mail",
    order: "Número do pedido",
    phone: "Telefone:",
    due: "A sua fatura vence em",
    offer: "Ver as ofertas da semana",
  },
  {
    language: "it",
    subject: "Accesso a Lumen",
    say: "Il tuo codice è",
    label: "Codice di verifica",
    confirm: "Conferma il tuo indirizzo email",
    order: "Numero d'ordine",
    phone: "Telefono:",
    due: "La tua fattura scade il",
    offer: "Scopri le offerte della settimana",
  },
  {
    language: "nl",
    subject: "Inloggen bij Lumen",
    say: "Je code is",
    label: "Verificatiecode",
    confirm: "Bevestig je e-mailadres",
    order: "Je bestelnummer",
    phone: "Bel ons:",
    due: "Je factuur vervalt op",
    offer: "Bekijk de aanbiedingen van deze week",
  },
  {
    language: "pl",
    subject: "Logowanie do Lumen",
    say: "Twój kod to",
    label: "Kod weryfikacyjny",
    confirm: "Potwierdź adres e-mail",
    order: "Numer zamówienia",
    phone: "Telefon:",
    due: "Termin płatności faktury:",
    offer: "Zobacz oferty tygodnia",
  },
  {
    language: "tr",
    subject: "Lumen girişi",
    say: "Kodunuz",
    label: "Doğrulama kodu",
    confirm: "E-posta adresini doğrula",
    order: "Sipariş numarası",
    phone: "Telefon:",
    due: "Faturanızın son ödeme tarihi",
    offer: "Haftanın fırsatlarını gör",
  },
  {
    language: "ru",
    subject: "Вход в Lumen",
    say: "Ваш код:",
    label: "Код подтверждения",
    confirm: "Подтвердить адрес электронной почты",
    order: "Номер заказа",
    phone: "Телефон:",
    due: "Счёт нужно оплатить до",
    offer: "Посмотреть предложения недели",
  },
  {
    language: "zh",
    subject: "登录 Lumen",
    say: "您的代码是",
    label: "验证码",
    confirm: "验证邮箱地址",
    order: "订单号",
    phone: "电话：",
    due: "账单到期日",
    offer: "查看本周优惠",
  },
  {
    language: "ja",
    subject: "Lumen へのログイン",
    say: "コードは",
    label: "認証コード",
    confirm: "メールアドレスを確認する",
    order: "注文番号",
    phone: "電話：",
    due: "お支払い期限",
    offer: "今週のセールを見る",
  },
  {
    language: "ko",
    subject: "Lumen 로그인",
    say: "코드는",
    label: "인증번호",
    confirm: "이메일 주소 인증하기",
    order: "주문번호",
    phone: "전화:",
    due: "청구서 결제 기한",
    offer: "이번 주 특가 보기",
  },
];
const FROM = "no-reply@lumen.example";
const FOOTER = "Lumen, 1204 Main Street, 90210 Springfield";

/** Six digits that differ for each language and form. */
function digitsFor(at: number, form: number): string {
  return String((((at + 1) * 71_317 + (form + 3) * 13_927 + 204_060) % 900_000) + 100_000);
}
const inPairs = (digits: string) => digits.replace(/(..)(..)(..)/, "$1 $2 $3");
const inHalves = (digits: string, between: string) => digits.replace(/(...)(...)/, `$1${between}$2`);

type Form = (words: Words, digits: string) => Omit<Mail, "name" | "from">;

const FORMS: Record<string, Form> = {
  "pairs after the bare noun": ({ subject, say }, digits) => ({
    subject,
    text: `${say} ${inPairs(digits)}\n\n${FOOTER}`,
    otp: digits,
    link: null,
  }),
  "halves on a line": ({ subject, label }, digits) => ({
    subject,
    text: `${label}:\n\n${inHalves(digits, " ")}\n\n${FOOTER}`,
    otp: digits,
    link: null,
  }),
  "halves with a hyphen": ({ subject, label }, digits) => ({
    subject,
    text: `${label}: ${inHalves(digits, "-")}\n${FOOTER}`,
    otp: digits,
    link: null,
  }),
  "pairs in a cell": ({ subject, label }, digits) => ({
    subject,
    html: `<table><tr><td>${label}</td></tr><tr><td style="font-size:30px">${inPairs(digits)}</td></tr></table><p>${FOOTER}</p>`,
    otp: digits,
    link: null,
  }),
  "a link alone": ({ confirm }, digits) => ({
    subject: confirm,
    html: `<p><a href="https://lumen.example/verify?token=k${digits}q">${confirm}</a></p><p>${FOOTER}</p>`,
    otp: null,
    link: `https://lumen.example/verify?token=k${digits}q`,
  }),
  "a code and a link": ({ confirm, label }, digits) => ({
    subject: confirm,
    html: `<p>${label}: <b>${inHalves(digits, " ")}</b></p><p><a href="https://lumen.example/verify?token=k${digits}q">${confirm}</a></p>`,
    otp: digits,
    link: `https://lumen.example/verify?token=k${digits}q`,
  }),
  "the number of an order": ({ subject, order }, digits) => ({
    subject: `Lumen – ${order}`,
    text: `${order}: ${inHalves(digits, " ")}\n\n${subject}\n${FOOTER}`,
    otp: null,
    link: null,
  }),
  "a phone number": ({ subject, phone }, digits) => ({
    subject,
    text: `${phone} +49 30 ${inPairs(digits)}\n\n${FOOTER}`,
    otp: null,
    link: null,
  }),
  "a date and an amount": ({ subject, due }, digits) => ({
    subject,
    text: `${due} 2026-11-30: ${digits.slice(0, 4)}.${digits.slice(4)} EUR\n\n${FOOTER}`,
    otp: null,
    link: null,
  }),
  "an offer": ({ offer }, digits) => ({
    subject: offer,
    html: `<p><a href="https://lumen.example/sale/${digits}">${offer}</a></p><p>${FOOTER}</p>`,
    otp: null,
    link: null,
  }),
};

export const grouped: Mail[] = WORDS.flatMap((words, at) =>
  Object.entries(FORMS).map(([form, write], index) => ({
    name: `grouped, ${words.language}: ${form}`,
    from: FROM,
    ...write(words, digitsFor(at, index)),
  })),
);
