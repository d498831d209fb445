// The mail of a sign-up site in twelve languages and five layouts, each with the code that the site chose.

type Words = { language: string; subject: string; say: string; ignore: string };
export type Variant = { name: string; write(code: string): { subject: string; text?: string; html?: string } };

const WORDS: Words[] = [
  {
    language: "English",
    subject: "Confirm your address",
    say: "Your verification code is",
    ignore: "It is valid for 10 minutes.",
  },
  {
    language: "German",
    subject: "Bestätige deine Adresse",
    say: "Dein Bestätigungscode lautet",
    ignore: "Er gilt 10 Minuten.",
  },
  {
    language: "French",
    subject: "Confirmez votre adresse",
    say: "Votre code de vérification est",
    ignore: "Il est valable 10 minutes.",
  },
  {
    language: "Spanish",
    subject: "Confirma tu dirección",
    say: "Tu código de verificación es",
    ignore: "Caduca en 10 minutos.",
  },
  {
    language: "Italian",
    subject: "Conferma il tuo indirizzo",
    say: "Il tuo codice di verifica è",
    ignore: "Scade tra 10 minuti.",
  },
  {
    language: "Portuguese",
    subject: "Confirme o seu endereço",
    say: "O seu código de verificação é",
    ignore: "Expira em 10 minutos.",
  },
  {
    language: "Dutch",
    subject: "Bevestig je adres",
    say: "Je verificatiecode is",
    ignore: "De code is 10 minuten geldig.",
  },
  {
    language: "Polish",
    subject: "Potwierdź adres",
    say: "Twój kod weryfikacyjny to",
    ignore: "Kod jest ważny 10 minut.",
  },
  {
    language: "Russian",
    subject: "Подтвердите адрес",
    say: "Ваш код подтверждения:",
    ignore: "Он действует 10 минут.",
  },
  {
    language: "Turkish",
    subject: "Adresini doğrula",
    say: "Doğrulama kodun:",
    ignore: "Kod 10 dakika geçerlidir.",
  },
  {
    language: "Japanese",
    subject: "メールアドレスの確認",
    say: "認証コード：",
    ignore: "有効期限は10分です。",
  },
  {
    language: "Chinese",
    subject: "确认您的邮箱",
    say: "您的验证码是",
    ignore: "10分钟内有效。",
  },
];
const FOOTER = "© 2026 Site, 1204 Main Street";

const LAYOUTS: Record<string, (words: Words, code: string) => ReturnType<Variant["write"]>> = {
  sentence: ({ subject, say, ignore }, code) => ({ subject, text: `${say} ${code}. ${ignore}\n\n${FOOTER}\n` }),
  "separate line": ({ subject, say, ignore }, code) => ({
    subject,
    text: `${say}\n\n${code}\n\n${ignore}\n\n${FOOTER}\n`,
  }),
  "subject too": ({ say, ignore }, code) => ({
    subject: `${say} ${code}`,
    text: `${say} ${code}\n${ignore}\n${FOOTER}\n`,
  }),
  "large in HTML": ({ subject, say, ignore }, code) => ({
    subject,
    html: `<p>${say}</p><p style="font-size:32px;letter-spacing:4px"><b>${code}</b></p><p>${ignore}</p><small>${FOOTER}</small>`,
  }),
  "cell of a table": ({ subject, say, ignore }, code) => ({
    subject,
    html: `<table><tr><td>${say}</td></tr><tr><td style="background:#eeeeee">${code}</td></tr><tr><td>${ignore} ${FOOTER}</td></tr></table>`,
  }),
};

/** Sixty. */
export const VARIANTS: Variant[] = WORDS.flatMap((words) =>
  Object.entries(LAYOUTS).map(([layout, write]) => ({
    name: `${words.language}, ${layout}`,
    write: (code: string) => write(words, code),
  })),
);
