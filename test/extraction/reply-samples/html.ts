// Replies in HTML, as clients build them.
import type { ReplySample } from "./sample.ts";

export const html: ReplySample[] = [
  {
    name: "Gmail",
    html: '<div dir="ltr">Yes!<br></div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Mon, Jan 1, 2024 at 10:00 AM Ann &lt;<a href="mailto:ann@example.com">ann@example.com</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0 0 0 .8ex"><div>Old</div></blockquote></div>',
    expected: "Yes!",
  },
  {
    name: "Gmail in an unlisted language",
    html: '<div>Igen.</div><div class="gmail_quote"><div class="gmail_attr">Anna ezt írta (időpont: 2024. jan. 1., H, 10:00):<br></div><blockquote class="gmail_quote">Régi</blockquote></div>',
    expected: "Igen.",
  },
  {
    name: "Gmail, inline replies",
    html: '<div class="gmail_quote"><div class="gmail_attr">On Mon, Ann wrote:</div><blockquote>First?</blockquote><div>Yes.</div><blockquote>Second?</blockquote><div>No.</div></div>',
    expected: "Yes.\n\nNo.",
  },
  {
    name: "Gmail, signature",
    html: '<div>Yes.</div><div class="gmail_signature">Bob<br>ACME</div><div class="gmail_quote"><div class="gmail_attr">x:</div><blockquote>q</blockquote></div>',
    expected: "Yes.",
  },
  {
    name: "Gmail, forward with a comment",
    html: '<div>FYI</div><div class="gmail_quote"><div class="gmail_attr">---------- Forwarded message ---------<br>From: Ann</div>Forwarded body</div>',
    expected: "FYI\n---------- Forwarded message ---------\nFrom: Ann\nForwarded body",
  },
  {
    name: "Gmail, forward alone stays whole",
    html: '<div class="gmail_quote"><div class="gmail_attr">---------- Forwarded message ---------<br>From: Ann</div><p>Forwarded body</p></div>',
    expected: "---------- Forwarded message ---------\nFrom: Ann\n\nForwarded body",
  },
  {
    name: "Outlook desktop",
    html: '<div class="WordSection1"><p class="MsoNormal">Done.<o:p></o:p></p><div style="border:none;border-top:solid #E1E1E1 1.0pt"><p class="MsoNormal"><b>From:</b> Ann &lt;ann@example.com&gt;<br><b>Sent:</b> Monday<br><b>To:</b> Bob<br><b>Subject:</b> x</p></div><p class="MsoNormal">Old</p></div>',
    expected: "Done.",
  },
  {
    name: "Outlook on the web",
    html: '<div>Done.</div><div id="Signature">Bob</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>Fra:</b> Ann</div><div>Old</div>',
    expected: "Done.",
  },
  {
    name: "Outlook on the web, as others quote it",
    html: '<div>Newest</div><div id="x_divRplyFwdMsg"><b>Kto:</b> Ann</div><div>Old</div>',
    expected: "Newest",
  },
  {
    name: "Apple Mail",
    html: '<div>Great.<br><div><br><blockquote type="cite"><div>On Jan 1, 2024, at 10:00, Ann &lt;ann@example.com&gt; wrote:</div><br><div>Old</div></blockquote></div></div>',
    expected: "Great.",
  },
  {
    name: "iPhone",
    html: '<div>On my way<br><div dir="ltr">Sent from my iPhone</div><div dir="ltr"><br><blockquote type="cite">On Jan 1, 2024, at 10:00, Ann wrote:<br><br></blockquote></div><blockquote type="cite">Old</blockquote></div>',
    expected: "On my way",
  },
  {
    name: "Thunderbird, bottom posting",
    html: '<div class="moz-cite-prefix">Dne 01.01.24 v 10:00 Ann napsal(a):<br></div><blockquote type="cite" cite="mid:x"><p>Hotovo?</p></blockquote><p>Ano.</p><pre class="moz-signature" cols="72">-- \nBob</pre>',
    expected: "Ano.",
  },
  {
    name: "Yahoo",
    html: '<div>Yes please.</div><div id="yahoo_quoted_1" class="yahoo_quoted"><div>On Monday, Ann wrote:</div><div>Old</div></div>',
    expected: "Yes please.",
  },
  {
    name: "Proton",
    html: '<div>Confirmed.</div><div class="protonmail_signature_block">Sent with Proton Mail</div><div class="protonmail_quote">On Monday Ann wrote:<blockquote>Old</blockquote></div>',
    expected: "Confirmed.",
  },
  {
    name: "GMX",
    html: '<div>Danke!</div><div name="quote" style="border-left:2px solid"><div><b>Gesendet:</b> Montag<br><b>Von:</b> Max<br><b>An:</b> Eva<br><b>Betreff:</b> x</div><div>Alt</div></div>',
    expected: "Danke!",
  },
];
