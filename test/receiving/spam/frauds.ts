// Frauds and unwanted advertising, as templates. A seed chooses names, hosts, amounts and how the sender is authenticated.
import type { Random } from "../../extraction/fit/random.ts";

/** `pass`: the sender's own domain is authenticated. `fail`: From is forged, and its domain has a policy. */
export type Proof = "pass" | "none" | "fail";
export type Fraud = { raw: string; proof: Proof; template: number };

/** name|address|answers to|subject|text. `{h}` host, `{n}` number, `{p}` person, `[text](url)` a link of an HTML mail. */
const TEMPLATES = `
PayPal Service|service@{h}||Action required: we noticed a problem|Dear customer, we could not confirm some information on your profile. Please [log in at www.paypal.com](https://{h}/login?c={n}) to avoid limits on your account.
Microsoft 365|no-reply@{h}||Your password will expire today|Hello, the password of your mailbox expires in {n} hours. [Keep my current password](https://{h}/owa/{n}). IT Support
Mail Admin|admin@{h}||Mailbox storage limit reached|Your mailbox is 98% full and {n} incoming messages are on hold. [Release messages](http://203.0.113.7/webmail/{n}) or your account will be deactivated.
DHL Express|tracking@{h}||Your parcel is waiting for delivery|Your parcel {n} is held at our depot because of an unpaid customs fee of EUR 1.99. [Pay now](https://{h}/dhl/{n}) within 48 hours.
{p}|{p}@{h}|{p}@gmail.com|BUSINESS PROPOSAL|Dear friend, I am {p}, a banker. A deceased client left {n} million dollars and no next of kin. I propose that you stand as his foreign partner. This is strictly confidential.
Mrs. {p}|info@{h}|mrs.{p}@outlook.com|Donation to you|Dear beloved, I am a widow with cancer and decided to donate the sum of {n},500,000 USD to you for the work of God. Reply for more details. God bless you.
Lottery Board|claims@{h}|claims{n}@yahoo.com|CONGRATULATIONS YOU WON|Your email address won {n},000,000 euros in our online lottery. Winning number {n}-44. Contact our agent to claim your prize.
{p}|{p}{n}@{h}||I recorded you|I hacked your device and recorded you through your webcam while you visited adult sites. Send {n} USD to my bitcoin wallet within 48 hours or all your contacts get the video.
Netflix|billing@{h}||Your membership is on hold|We were unable to process your last payment. [Update your payment details](https://{h}/nf/{n}) to continue to watch.
CEO {p}|{p}@{h}|ceo{n}@gmail.com|Quick task|Are you at your desk? I am in a meeting and need you to buy gift cards for a client today. Send me your mobile number.
Amazon.de|konto@{h}||Ihr Konto wurde vorübergehend gesperrt|Sehr geehrter Kunde, bitte bestätigen Sie Ihre Daten innerhalb von 24 Stunden: [amazon.de/konto](https://{h}/de/{n}). Sonst wird Ihr Konto geschlossen.
Sparkasse|info@{h}||Wichtige Mitteilung zu Ihrem Online-Banking|Ihr pushTAN-Verfahren läuft ab. [Jetzt verlängern](https://{h}/s/{n}), um eine Sperrung zu vermeiden.
Apple Support|id@{h}||Votre compte a été verrouillé|Bonjour, une activité inhabituelle a été détectée. [Vérifiez votre identité](https://{h}/fr/{n}) sous 24 heures.
Correos|envios@{h}||Su paquete está retenido|Su paquete {n} no pudo ser entregado. Pague los gastos de aduana de 2,99 EUR: [correos.es](https://{h}/es/{n}).
Canadian Pharmacy|deals@{h}||Cheap meds, no prescription|Viagra, Cialis and more, 80% off! No prescription, worldwide shipping. Order now: http://{h}/rx{n}
Trading Desk|vip@{h}||Earn {n}00 USD a day|Our trading robot makes guaranteed profit. Double your money in 7 days, no risk. Sign up: http://bit.ly/x{n}
SEO Team|{p}@{h}|{p}.seo@gmail.com|Rank your website|Hi, I can put your website on the first page of Google. Our SEO services include 500 backlinks and guest post. Shall I send a quote? {p}
Casino Royal|promo@{h}||200 FREE SPINS ARE WAITING FOR YOU|Play at our online casino: 200 free spins and {n}% bonus. Act now! http://{h}/c/{n}
MetaMask|security@{h}||Wallet verification required|Your wallet will be suspended. Enter your recovery phrase to restore access: [metamask.io](https://{h}/mm/{n})
Accounting|invoice@{h}||Invoice {n} overdue|See the attached invoice and pay it today. @file invoice_{n}.pdf.exe
Scanner|scan@{h}||Scanned document|You received a scanned document. Open the attachment. @file Scan_{n}.html
HR Department|hr@{h}||Updated salary review {n}|Review and sign the document before end of day. @file Salary.html
DocuSign|dse@{h}||{p} sent you a document to review and sign|[REVIEW DOCUMENT](https://{h}/sign/{n}) Do not share this email. The link expires in 24 hours.
WhatsApp Web|voice@{h}||New voice message|You have a new voicemail (0:{n}). [Play](http://198.51.100.20/v/{n})
Coinbase|alert@{h}||New sign-in from Lagos, Nigeria|If this was not you, [secure your account](https://{h}/cb/{n}) now to avoid suspension.
Bank of America|alerts@{h}||Unusual activity on your debit card|We limited your card ending {n}. [www.bankofamerica.com](https://{h}/boa) Verify your identity to restore access.
United Nations|un@{h}|un.comp{n}@aol.com|COMPENSATION FUND|You are on the list of scam victims to be compensated with {n},000 USD by ATM card. Send your name and phone. Contact Western Union.
{p}|{p}@{h}|{p}@mail.ru|Loan offer 2%|Do you need an instant loan? We give loans from 5,000 to {n} million at 2%. No credit check, pre-approved. Apply today.
Facebook|page@{h}||Your page will be deleted|Your page violates our terms. [Appeal: facebook.com/appeal](https://{h}/fb/{n}) within 24 hours or it will be deactivated.
Secret Friend|love{n}@{h}||hi|I saw your picture. http://tinyurl.com/{n}
{p}|{p}@{h}||look at this|http://{h}/{n}.php
Tax Office|refund@{h}||Tax refund of {n} EUR|You are eligible for a tax refund. [Claim it at gov.example](https://{h}/tax/{n}) and confirm your identity.
Rolex Outlet|sale@{h}||Luxury replica watches 90% off|Buy now: replica watches, handbags. Free shipping. Limited time offer. http://{h}/w{n}
Slimming News|news@{h}||Lose weight without diet|A miracle pill melts {n} kg in two weeks. Weight loss guaranteed. Order now http://{h}/s{n}
Supplier {p}|sales@{h}|{p}.sales@163.com|Change of bank|Please note our new bank details for the payment of invoice {n}. The old account is closed for audit.
Почта России|info@{h}||Вы выиграли приз|Поздравляем! Вы выиграли {n}00 рублей. Подтвердите свой приз: http://{h}/ru{n}
Google Drive|share@{h}||{p} shared "Payroll {n}" with you|[Open in Drive](https://xn--ggle-55da.example/d/{n})
IT Helpdesk|helpdesk@{h}||Webmail upgrade|All staff must validate your mailbox on the new webmail server. [Click here](https://{h}/w/{n}) within 24 hours. Failure to comply closes the account.
`
  .trim()
  .split("\n")
  .map((line) => line.split("|"));

const PEOPLE = "john maria ahmed olga peter grace wang susan david emeka".split(" ");
const HOSTS = "secure-{n}.example mail-{n}.example login-portal{n}.test srv{n}.example promo{n}.test".split(" ");

/** @param count how many; templates take turns */
export function frauds(random: Random, count: number): Fraud[] {
  return Array.from({ length: count }, (_, index) => fraud(random, index % TEMPLATES.length));
}

function fraud(random: Random, template: number): Fraud {
  const n = String(10 + random.below(89_000));
  const [host, person] = [random.pick(HOSTS).replace("{n}", n), random.pick(PEOPLE)];
  const fill = (text = "") => text.replaceAll("{h}", host).replaceAll("{n}", n).replaceAll("{p}", person);
  const [name, address, answers, subject, body = ""] = (TEMPLATES[template] ?? []).map(fill);
  const [text = "", file] = body.split(" @file ");
  const isHtml = /\[[^\]]+\]\(/.test(text);
  const proof = random.pick<Proof>(["pass", "none", "none", "fail"]);
  const toLine = random.chance(0.4) ? "" : "To: desk@mail.example\r\n";
  const content = isHtml
    ? `Content-Type: text/html; charset=utf-8\r\n\r\n<p>${text.replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, '<a href="$2">$1</a>')}</p>\r\n`
    : `Content-Type: text/plain; charset=utf-8\r\n\r\n${text}\r\n`;
  const type = `multipart/mixed; boundary=b`;
  const parts = `--b\r\n${content}--b\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="${file}"\r\n\r\nx\r\n--b--\r\n`;
  const head =
    `From: "${name}" <${address?.replace(/\s/g, "")}>\r\n${toLine}${answers ? `Reply-To: ${answers}\r\n` : ""}Subject: ${subject}\r\n` +
    `${random.chance(0.7) ? "Date: Sat, 28 Nov 2026 10:00:00 +0000\r\n" : ""}${random.chance(0.7) ? `Message-ID: <${n}@${host}>\r\n` : ""}MIME-Version: 1.0\r\n`;
  return { raw: file ? `${head}Content-Type: ${type}\r\n\r\n${parts}` : `${head}${content}`, proof, template };
}
