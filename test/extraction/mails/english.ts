// Mails in English as services of many kinds send them: codes, links, both.
import type { Mail } from "./mail.ts";

export const english: Mail[] = [
  {
    name: "bank: code beside amount, card ending and hotline",
    from: "alerts@northbank.example",
    subject: "Your Northbank security code",
    text: `Dear Ms Okafor,

You are about to pay £1,249.00 to AIRLINE LTD with your card ending 4242.

To approve it, enter this one-time passcode: 739158

It is valid for 10 minutes. We will never ask you for it. If you did not make this payment, call 0345 600 2323 straight away.

Northbank plc, 1 Castle Street, London EC2V 7HH. Registered in England no. 01026167. © 2026`,
    otp: "739158",
    link: null,
  },
  {
    name: "code leads the subject",
    from: "no-reply@chirper.example",
    subject: "904213 is your Chirper verification code",
    text: `Confirm your email address

There's one quick step before you join Chirper. Enter this code to get started:

904213

Verification codes expire after two hours.

Thanks,
Chirper

Help: https://help.chirper.example/
Chirper Inc. 1355 Market Street, Suite 900, San Francisco, CA 94103`,
    otp: "904213",
    link: null,
  },
  {
    name: "prefixed G- code",
    from: "noreply@accounts.giggle.example",
    subject: "Giggle Verification Code",
    text: `Dear user,

We received a request to access your account sam.t@giggle.example through your email address. Your verification code is:

G-482916

If you did not request this code, it is possible that someone else is trying to access your account. Do not forward or give this code to anyone.

The Accounts team
1600 Parkway, Mountain View, CA 94043, USA`,
    otp: "482916",
    link: null,
  },
  {
    name: "hyphenated letters and digits are kept as written",
    from: "team@notekeep.example",
    subject: "Your temporary NoteKeep sign-up code is A7F-K2Q",
    html: `<html><body><h1>Confirm your sign-up</h1><p>Copy and paste this temporary code:</p>
<div style="background:#F4F4F4;padding:16px"><code>A7F-K2Q</code></div>
<p>If you didn't try to sign up, you can safely ignore this email.</p>
<p><a href="https://notekeep.example">NoteKeep</a>, the connected workspace<br>2300 Harrison St, San Francisco</p></body></html>`,
    otp: "A7F-K2Q",
    link: null,
  },
  {
    name: "source forge device code among IP, browser and time",
    from: "noreply@codehub.example",
    subject: "[CodeHub] Please verify your device",
    text: `Hey octo-dev!

A sign in attempt requires further verification because we did not recognize your device. To complete the sign in, enter the verification code on the unrecognized device.

Device: Chrome 126.0.6478 on Linux
IP: 203.0.113.77
Time: 2026-03-14 09:26:53 UTC
Verification code: 318402

If you did not attempt to sign in to your account, your password may be compromised. Visit https://codehub.example/settings/security to create a new, strong password for your CodeHub account.

Thanks,
The CodeHub Team`,
    otp: "318402",
    link: null,
  },
  {
    name: "verify email button",
    from: "hello@tallyform.example",
    subject: "Verify your email address",
    html: `<table><tr><td><img src="https://cdn.tallyform.example/logo.png" alt=""></td></tr>
<tr><td><h2>Welcome to Tallyform, Priya!</h2><p>Please confirm that priya@corp.example is your email address by clicking the button below within 24 hours.</p>
<a href="https://app.tallyform.example/verify?uid=88213&amp;token=eyJhbGciOi.9f2c" style="background:#5b21b6">Verify email</a>
<p style="color:#999999">Or visit our <a href="https://tallyform.example/help">help center</a>. <a href="https://tallyform.example/unsubscribe?u=88213">Unsubscribe</a> · <a href="https://tallyform.example/privacy">Privacy</a></p></td></tr></table>`,
    otp: null,
    link: "https://app.tallyform.example/verify?uid=88213&token=eyJhbGciOi.9f2c",
  },
  {
    name: "magic link and code in one mail",
    from: "login@slate.example",
    subject: "Sign in to Slate",
    html: `<h1>Sign in to Slate</h1><p><a href="https://slate.example/auth/magic?t=Zk93hfLq02">Sign in now</a></p>
<p>Or enter this code on the login page:</p><p style="font-size:32px;letter-spacing:6px">502 871</p>
<p>This link and code expire in 15 minutes and can be used once.</p><p>Slate Labs, 548 Market St #39113, San Francisco, CA 94104</p>`,
    otp: "502871",
    link: "https://slate.example/auth/magic?t=Zk93hfLq02",
  },
  {
    name: "password reset with a bare link",
    from: "support@gearshop.example",
    subject: "Reset your password",
    text: `Hi Dana,

Someone requested a password reset for your Gearshop account. If this was you, click the link below to choose a new password:

https://www.gearshop.example/account/reset?key=3a8d0f6e1b&login=dana

This link will expire in 60 minutes. If you didn't request it, ignore this mail; your password stays as it is.

Questions? https://www.gearshop.example/support or +1 (415) 555-0132`,
    otp: null,
    link: "https://www.gearshop.example/account/reset?key=3a8d0f6e1b&login=dana",
  },
  {
    name: "workspace invitation through a click tracker",
    from: "notifications@huddleboard.example",
    subject: "Marek invited you to join Design Guild",
    html: `<p><b>Marek Nowak</b> (marek@guild.example) has invited you to the Huddleboard workspace <b>Design Guild</b>. 14 people are already there.</p>
<p><a href="https://click.mailer7.example/ls/click?upn=u001.Gx7PqT2mLw-3D">Accept invitation</a></p>
<p><a href="https://click.mailer7.example/ls/click?upn=u001.Rk1ZZo-2B">Learn more about Huddleboard</a></p>
<p><a href="https://click.mailer7.example/ls/click?upn=u001.AAbq9">Unsubscribe</a> from invitation mails</p>`,
    otp: null,
    link: "https://click.mailer7.example/ls/click?upn=u001.Gx7PqT2mLw-3D",
  },
  {
    name: "game guard code in letters and digits",
    from: "noreply@vaporgames.example",
    subject: "Your Vapor account: Access from new computer",
    text: `Dear kestrel_91,

Here is the Vapor Guard code you need to login to account kestrel_91:

GH72K

This email was generated because of a login attempt from a computer located at 198.51.100.23 (DE). The login attempt included your correct account name and password.

If you are not attempting to login then please change your Vapor password.

© Vapor Corporation. PO Box 1688 Bellevue, WA 98009`,
    otp: "GH72K",
    link: null,
  },
  {
    name: "government sign-in",
    from: "no-reply@gateway.gov.example",
    subject: "Your Gateway access code",
    text: `Use 448190 as your access code to sign in to Government Gateway.

The code expires in 30 minutes. Your user ID ending in 3391 was used at 16:42 on 3 November 2026.

Do not reply to this email.`,
    otp: "448190",
    link: null,
  },
  {
    name: "four digits that look like a year",
    from: "hi@rideloop.example",
    subject: "Welcome to Rideloop",
    text: "Your Rideloop code is 2027. Never share it.\n\n© 2026 Rideloop Inc.",
    otp: "2027",
    link: null,
  },
  {
    name: "newsletter double opt-in",
    from: "editor@slowfood.example",
    subject: "One more step: confirm your subscription",
    text: `Almost there!

Yes, subscribe me to this list:
<https://list.slowfood.example/subscribe/confirm?u=7f3a&id=2210&e=99c1>

If you received this email by mistake, simply delete it. You won't be subscribed if you don't click the confirmation link above.`,
    otp: null,
    link: "https://list.slowfood.example/subscribe/confirm?u=7f3a&id=2210&e=99c1",
  },
  {
    name: "delivery one-time password for the driver",
    from: "shipment@parcelry.example",
    subject: "Your parcel with order 114-8827341-0092217 arrives today",
    text: `Arriving today by 8 pm.

Order #114-8827341-0092217
Tracking ID: PRC8829103371US

Your one-time password is 620047. Share it with the delivery driver only when you have the parcel in hand.

Track: https://parcelry.example/track/PRC8829103371US`,
    otp: "620047",
    link: null,
  },
];
