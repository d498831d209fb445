// Honest newsletters and receipts, with the preheaders, variants and comments that they are made with.
import type { JudgedMail } from "./judged-mail.ts";

const filler = "&#847;&zwnj;&nbsp;&#8199;&shy;&#65279;".repeat(60);
export const preheader = (text: string, style = "display:none;max-height:0;overflow:hidden") =>
  `<div style="${style}">${text}</div><div style="${style}">${filler}</div>`;
export const layout = (
  inner: string,
) => `<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{margin:0} .btn{background:#1a6;color:#fff} @media (max-width:600px){.col{display:block!important;width:100%!important}}
@media (prefers-color-scheme: dark){body{background:#111!important} p{color:#eee!important}}</style>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]--></head>
<body style="background:#f4f4f4;color:#333"><table width="600" bgcolor="#ffffff"><tr><td>${inner}</td></tr></table>
<img src="https://t.example/o.gif" width="1" height="1" alt=""></body></html>`;

export const newsletters: JudgedMail[] = [
  {
    name: "newsletter with a preheader",
    subject: "Issue 214: faster indexes",
    html: layout(`${preheader("Faster indexes, a new planner, and three jobs.")}<h1>Issue 214</h1><p>Faster indexes in version 19.</p>
      <p style="color:#999;font-size:11px">You receive this because you subscribed. <a href="https://news.example/u?t=1">Unsubscribe</a></p>`),
    hiding: "usual",
  },
  {
    name: "preheader by opacity and visibility",
    subject: "Sale ends tonight",
    html: layout(
      `${preheader("Up to 40 % off until midnight", "visibility:hidden;opacity:0;mso-hide:all;font-size:1px;color:#fff;line-height:1px;max-height:0;overflow:hidden")}<p>Up to 40 % off.</p>`,
    ),
    hiding: "usual",
  },
  {
    name: "filler alone",
    subject: "Weekend reads",
    html: layout(`<div style="display:none">${filler}</div><p>Ten long reads.</p>`),
  },
  {
    name: "white text on a button and a banner",
    subject: "Your spring picks",
    html: layout(
      '<div style="background:#003366"><h1 style="color:#fff">Spring</h1></div><a class="btn" href="https://shop.example/s">Shop now</a>',
    ),
  },
  {
    name: "white text on a picture",
    subject: "Visit the coast",
    html: layout(
      '<div style="background-image:url(https://shop.example/b.jpg)"><h1 style="color:#fff">The coast</h1></div>',
    ),
  },
  {
    name: "images with alternative texts and tooltips",
    subject: "New arrivals",
    html: layout(
      '<img src="https://shop.example/l.png" alt="Harbour Goods" title="Harbour Goods"><a href="https://shop.example/1" title="See the lamp"><img src="https://shop.example/1.png" alt="Brass lamp, 49 euro"></a>',
    ),
  },
  {
    name: "forward to a friend",
    subject: "The Friday letter",
    html: layout("<p>Enjoyed this? Forward this email to a friend. They can subscribe at https://letter.example.</p>"),
  },
  {
    name: "comments of a template",
    subject: "Autumn menu",
    html: layout("<!-- Hero : BEGIN --><h1>Autumn menu</h1><!-- Hero : END --><p>Pumpkin soup and more.</p>"),
    hiding: "usual",
  },
  {
    name: "one column for phones and one for desktops",
    subject: "Member days",
    html: layout(
      '<style>.m{display:none} @media (max-width:600px){.d{display:none!important}.m{display:block!important}}</style><p class="d">Member days: 20 % off</p><p class="m">Member days: 20 % off, tap to shop</p>',
    ),
    hiding: "usual",
  },
  {
    name: "title of the shop",
    subject: "Our lookbook",
    html: `<html><head><title>Harbour Goods</title></head><body><p>Harbour Goods presents the lookbook.</p></body></html>`,
  },
  {
    name: "VML button for Outlook",
    subject: "Confirm your seat",
    html: layout(
      '<!--[if mso]><v:roundrect href="https://e.example/r" fillcolor="#1166aa"><w:anchorlock/><center>Confirm</center></v:roundrect><![endif]--><!--[if !mso]><!--><a class="btn" href="https://e.example/r">Confirm</a><!--<![endif]-->',
    ),
    hiding: "usual",
  },
  {
    name: "text part made from the HTML",
    subject: "Release 4.2",
    text: "Release 4.2\n===========\n\nFaster search and smaller images.\n\nRead more: https://tool.example/4.2\n\nUnsubscribe: https://tool.example/u",
    html: '<h1>Release 4.2</h1><p>Faster search and smaller images.</p><p><a href="https://tool.example/4.2">Read more</a></p><p><a href="https://tool.example/u">Unsubscribe</a></p>',
  },
  {
    name: "text part that points to the browser",
    subject: "Lookbook",
    text: "Your mail program cannot show this newsletter. Read it here: https://shop.example/n/1",
    html: layout('<img src="https://shop.example/n/1.png" alt="Lookbook">'),
    hiding: "usual",
  },
];

export const receipts: JudgedMail[] = [
  {
    name: "receipt",
    subject: "Your receipt from Coffee Cart",
    html: layout(`${preheader("Total 14.75 euro")}<h1>14.75 €</h1><p>Receipt 8841-2207. Card ending in 4242.</p>`),
    hiding: "usual",
  },
  {
    name: "receipt as text",
    subject: "Receipt 5512",
    text: "Thank you for your order.\n\n1 lamp   49.00\nShipping   4.90\nTotal   53.90\n\nKeep this mail for your records.",
  },
  {
    name: "invoice with instructions",
    subject: "Invoice 2026-118",
    text: "Please follow the payment instructions below. Transfer 1,204.00 to the account named on page 2. Ignore this reminder if you have paid.",
  },
  {
    name: "shipping notice",
    subject: "Your parcel is on its way",
    html: layout("<p>Instructions for the driver: leave it at the back door.</p><p>Tracking: 1Z999AA10123456784</p>"),
  },
  {
    name: "order with schema markup",
    subject: "Order 7781 confirmed",
    html: `<script type="application/ld+json">{"@context":"http://schema.org","@type":"Order","merchant":{"@type":"Organization","name":"Shop"},"orderNumber":"7781"}</script><p>Order 7781 is confirmed.</p>`,
  },
  {
    name: "booking",
    subject: "Your booking at Hotel Mole",
    text: "Your room is booked from 4 to 6 May.\nAs a guest you must check in before 22:00.\nSend a message to reception@hotel.example if you arrive later.",
  },
];
