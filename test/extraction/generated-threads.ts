// Generates realistic e-mail threads with their known new words and facts, deterministic by seed, for the digest tests.

import { Buffer } from "node:buffer";

const EN = `
@re Re: @num ,. @money £% // $% // EUR % // €% @join . @date %e %B %Y // %B %e, %Y // %A, %e %B // %d/%m/%Y @dt %e %B %Y
at %H:%M // %A, %e %B at %I // %B %e at %I @time %H:%M // %I @gmail On %a, %b %e, %Y at %I {N} <{A}> wrote: @apple On %e
%b %Y, at %H:%M, {N} <{A}> wrote: @tb On %d/%m/%Y %H:%M, {N} wrote: @labels From // Sent // To // Subject @sent %A, %e
%B %Y %H:%M @original Original Message @mobile Sent from my iPhone // Sent from my Galaxy // Get Outlook for iOS @greet
Hi {to}, // Hello {to}, // Dear {to}, // Hi all, // Good morning {to}, // {to}, // - @close Best regards, // Kind
regards, // Thanks, // Cheers, // Best, // Many thanks, @people Emily Carter // Tom Hughes // Priya Nair // Daniel
O'Brien // Sarah Whitfield // Marcus Lee // Grace Adeyemi // Oliver Stone // Hannah Price // Jack Turner // Chloé Martin
// Björn Lindqvist @orgs Northgate Supplies // Bluebird Software // Harbour Lettings // Pinewood Travel // Castle Row
Club // Orchard & Finch @roles Account Manager // Customer Care // Head of Operations // Software Engineer // Lettings
Negotiator // Treasurer @streets # Harbour Street // # Mill Lane // # Station Road // Flat 3, # Queens Avenue // # St.
Mary's Close @short Thanks, works for me. // Perfect, thank you! // Noted, thanks for letting us know. // Sounds good to
me. // +1 from me. @disclaimer This e-mail and any attachments are confidential and intended solely for the addressee.
If you have received it in error, please notify the sender and delete it. Registered in England and Wales, company
number 04412207. @footer You receive this newsletter because you signed up on our website. Unsubscribe | View in browser
| Privacy policy @tickethead Your request (#{id}) has been updated. To add further comments, simply reply to this
e-mail. @tabintro Here is the overview: // Please check the table: @listintro To sum up: // A few points from my side:
// Short list: @cols1 Item | No. | Qty | Price @items Desk lamp // Office chair // Printer paper A4 // USB-C cable 2 m
// Wall bracket // Filter set @cols2 What | Date | Time @stops Arrival // Meeting at reception // Guided tour // Return
train // Dinner // Hand-over @inline My answers are between your lines. // Please see below. // Answers inline:
@fact For your files, the reference is {ref}. // You can reach the team at {mail} at any time. // The details are on
{url} as always. // Let us fix {dt} then. // My calendar says {date}, so please keep it free. // In total it comes to
{money}. // The new address is {street}, second floor. // I have put everything under {ref}, and the deadline is {date}.
@ask Could you confirm that by {date}? // Is there anything else you need from us? // Who is going to take care of this?
// Does [{dt}|{date}] suit everybody? // Should I [call you|wait|send the papers by post] or will you get back to me? //
Would it be possible to move this to [next week|the week after|the end of the month]?
@fill [Thanks|Thank you|Many thanks] for [your quick reply|getting back to me|the explanation|your patience]. // I hope
you had a [good|relaxing|sunny] [weekend|start to the week|holiday]. // To be honest, [I|we] had expected [this|the
whole thing] to be [much simpler|a bit quicker|less complicated], but [these things happen|that is nobody's fault|we
will manage]. // {name} [told me|mentioned| wrote] [yesterday|this morning|last week] that [the supplier|the office|our
accountant|the landlord] [had already been informed| needed a little more time|was still waiting for an answer|was quite
happy with the proposal]. // [As far as I know|If I remember correctly|As I understand it], [nobody|neither of us|none
of the others] has [looked into|worked on|objected to] [this|that point] [so far|since then|in the last few days]. // We
have [discussed|gone through|talked about] this [at length|twice|over lunch] and [everybody|most of the team|even
{name}] [agreed|felt|thought] that [the first option|the simple solution|waiting a little] would be [best|the safest
way|good enough]. // It would be [a pity|a shame|unfortunate] to [start all over again|lose more time|give up now],
[especially after|considering|not least because of] all the work [{name}|the team|everybody] has put into it. // The
weather here is [awful|lovely|rather mixed], so [we mostly stay inside|the children are outside all day|I take the bus
instead of the bike]. // I [am sorry|apologise] for [the delay|the late answer|the confusion]; [it has been a busy
week|I was out of the office|your mail had ended up in the wrong folder]. // [On our side|Here|In our office] the
[main|only|biggest] worry is that [the work|the preparation|the next step] depends on [people who are away|an approval
we do not have yet|information from somebody else]. // [Looking back|In hindsight|After all that], [a phone call|a short
meeting|a better plan] would have [saved us|spared everyone] [some trouble|a lot of mails|a good deal of work]. //
Please do not [worry about|hesitate because of|read too much into] [the wording|the tone of that letter|the automatic
reminder], it [is only a formality|was sent by mistake|goes out to everyone].
@topic Your order {c} // Delivery of your order ~~ ORD-###### // ??-#### ~~ Your order {code} left our warehouse today.
// We have received order {code} and will ship it on {date}. // The parcel can be followed at {url} from tonight. // The
replacement costs {money} including delivery. // The carrier announced the delivery for {dt}. // Please send returns to
{street}, marked {code}. ~~ Can you deliver to {street} instead? // Has the parcel been sent already? // Is the missing
part included in the second delivery? ~~ The [box|parcel|package] arrived with [a dented corner|a broken seal|wet
cardboard], but [the contents look fine|nothing seems to be missing|I have not opened it yet]. // We usually
[keep|store] these [parts|items] in [a second warehouse|another building], which [explains|is the reason for] the [extra
day|short delay].
@topic Invoice {c} // Question about invoice {c} ~~ INV-2025-#### // RG###### ~~ The invoice {code} over {money} is
still open. // We transferred {money} on {date}. // Payment is due by {date} at the latest. // Please quote {code} with
the transfer. // The credit note {code} reduces the amount to {money}. // Invoices should go to {mail} from now on. ~~
Could you send us a corrected invoice over {money}? // Which purchase order does this belong to? // Why was the discount
not applied this time? ~~ Our [accounting department|new bookkeeping system|auditor] [insists on|asks for|cannot do
without] [a separate line for|a clear statement of] [the shipping cost|the tax|the discount]. // The [bank|branch] was
[closed|slow] [because of the holiday|last week], so [the payment| everything] took longer.
@topic Viewing of the flat // Two-bedroom flat near the park ~~ REF-#### // FL##? ~~ The viewing is on {dt}. // The flat
is at {street}, the bell says Morris. // The rent is {money} a month plus heating. // Photos and the floor plan are at
{url} for now. // The listing number is {code}. // The deposit of {money} is due before {date}. ~~ Are pets allowed in
the building? // Is the kitchen included in the rent? // Could we see it on {dt} as well? ~~ The [living
room|kitchen|balcony] [faces|looks onto] [the garden|the courtyard|a quiet street] and gets [plenty of light|the evening
sun|some shade]. // The [neighbours|other tenants] are [mostly families|very quiet|mostly students], and [the shops|the
school|the tram] are [round the corner|a short walk away].
@ticket Printer offline after update // Cannot log in to the portal ~~ TCK-##### // CASE ######## ~~ We opened case
{code} for you. // The fix is part of release {ref} and goes live on {date}. // Our technician will call on {dt}. // The
error code in the log is {code}. // Please upload the log file at {url} so we can look at it. // The repair would cost
{money}. ~~ Which version are you running at the moment? // Does the problem also occur after a restart? // May we close
the ticket {code}? ~~ The [light|status lamp|display] [blinks| stays red|goes dark] [for a moment|after a while], and
[then nothing happens|the page reloads|the old message is back]. // We [tried| repeated] the steps [from the manual|you
described] [twice|on another machine], [with the same result|without success].
@topic Trip to Lisbon // Travel plans for the conference ~~ ??#?#? // HTL-##### ~~ The booking code is {code}. // Our
flight leaves on {dt}. // The hotel is at {street}, five minutes from the station. // Two nights cost {money} with
breakfast. // Online check-in opens on {date} at {url} as usual. // The train tickets are under {code}. ~~ Do you want
an aisle seat? // Shall we meet at the airport at {time}? // Who books the hotel for the second night? ~~ I [would
rather|prefer to] [walk|take the tram|share a taxi] [from the station|to the hotel], [the luggage is light|it is not
far|parking is hopeless there]. // Last time the [museum|old town|harbour] was [crowded|wonderful|half closed], so [an
early start|a free afternoon] would [help|be nice].
@topic Your application // Interview for the developer position ~~ JOB-#### // REQ-2025-### ~~ We would like to invite
you to an interview on {dt}. // The position has the number {code}. // The salary band starts at {money} a year. // The
video link is {url} for all rounds. // Please ask for reception at {street} when you arrive. // We need your documents
by {date}. ~~ When could you start? // Would {dt} work for a second interview? // Do you have references we may contact?
~~ The [team|panel] was [impressed by|curious about|pleased with] your [background|questions|sample work], and
[{name}|everyone] [said so|wants to hear more]. // The [process|decision] is [a little slow| not in my hands alone],
because [two colleagues are away|several people have a say].
@topic Crash when saving large files // Bug: export loses the last row ~~ BUG-#### // a##b#c# // v#.##.# ~~ The crash is
tracked as {code}. // It started with build {code} on {date}. // The stack trace is at {url} for everyone. // The
regression came in with commit {code}. // The next release is planned for {dt}. // Security reports go to {mail} please.
~~ Can you reproduce it on the latest build? // Does it also fail with an empty file? // Should we revert the change
before the release? ~~ The [parser|cache|worker] [holds|keeps] a [stale|half-written] [entry|buffer] when [two requests
arrive together|the disk is slow|the user cancels], which [nobody noticed|the tests never covered]. // I [bisected|read
through|stepped through] the [code|history] [all afternoon|again] and [still find it odd|am fairly sure it is a race|do
not trust the lock].
@topic Annual meeting of the club // Summer party: who brings what ~~ CR-### // M-2025-## ~~ The annual meeting takes
place on {dt}. // We meet at {street}, entrance at the back. // The membership fee is {money} this year. // Please sign
up at {url} if you come. // Your membership number is {code}. // Registration closes on {date}. ~~ Who can bring a
second grill? // Are guests welcome this time? // Can somebody fetch the keys at {time}? ~~ [{name}|The committee|The
youth team] [has kindly offered|promised|agreed] to [look after the drinks|set up the tables|bring salads], [like last
year|which is great]. // The [grass|court|boat house] [needs|could do with] [some attention|a coat of paint], but [not
this month|only if the budget allows].
@newsletter Spring news // What is new this month ~~ SPRING## // NEWS-#### ~~ With the code {code} you save on every
order. // The workshop on {date} costs {money} per person. // Our doors are open on {dt}. // All dates are listed at
{url} as of today. // Visit our new shop at {street}, next to the bakery. // Registration by {mail} is enough. ~~ Have
you seen our new catalogue? // Is the workshop on {date} fully booked? // Can I bring a friend along? ~~ Our
[workshop|garden|reading room] has [grown|changed] a lot [since winter|over the past months], and we are
[proud|happy|excited] to [show it|share the result]. // [Many|Some] of you [asked|wrote] about [longer opening
hours|gift cards|the old catalogue], and [we listened|we are working on it].
`;
const DE = `
@re AW: // Re: @num ., @money % € // % EUR @join . @date %e. %B %Y // %d.%m.%Y // %A, %e. %B @dt %e. %B %Y um %H:%M Uhr
// %A, %d.%m.%Y, %H:%M Uhr @time %H:%M Uhr @gmail Am %a., %e. %b %Y um %H:%M Uhr schrieb {N} <{A}>: @apple Am %d.%m.%Y
um %H:%M schrieb {N} <{A}>: @tb Am %d.%m.%y um %H:%M schrieb {N}: @labels Von // Gesendet // An // Betreff @sent %A, %e.
%B %Y %H:%M @original Ursprüngliche Nachricht @mobile Von meinem iPhone gesendet // Outlook für iOS beziehen @greet
Hallo {to}, // Guten Tag {to}, // Hallo zusammen, // Moin {to}, // - @close Viele Grüße // Mit freundlichen Grüßen //
Beste Grüße // Liebe Grüße @people Anna Müller // Jürgen Groß // Katrin Schäfer // Stefan Vogt // Mehmet Kaya // Sabine
Köhler // Lukas Brandt @orgs Möbelwerk Süd GmbH // Hausverwaltung Lenz // TSV Grünau // Kern Datentechnik @roles
Vertrieb // Buchhaltung // Kundendienst @streets Lindenstraße # // Am Mühlbach # // Königsallee # // Goethestraße #a
@short Danke, das passt so. // Alles klar, vielen Dank! // Ist notiert, danke für die Info. @disclaimer Diese E-Mail
enthält vertrauliche Informationen. Sind Sie nicht der richtige Adressat, informieren Sie bitte den Absender und löschen
Sie diese Nachricht. Sitz der Gesellschaft: Augsburg, HRB 20417. @footer Sie erhalten diesen Newsletter, weil Sie sich
angemeldet haben. Abmelden | Impressum | Datenschutz @tickethead Ihre Anfrage (#{id}) wurde aktualisiert. Antworten Sie
auf diese E-Mail, um einen Kommentar hinzuzufügen. @tabintro Hier die Übersicht: @listintro Kurz zusammengefasst: //
Noch ein paar Punkte: @cols1 Artikel | Nr. | Menge | Preis @items Schreibtischlampe // Bürostuhl // Regalboden // Kabel
2 m // Türgriff @cols2 Was | Datum | Uhrzeit @stops Ankunft // Besichtigung // Übergabe // Rückfahrt // Abendessen
@inline Meine Antworten stehen direkt darunter. // Siehe unten:
@fact Das Aktenzeichen lautet {ref}. // Sie erreichen uns unter {mail} am besten. // Alles Weitere steht unter {url} für
alle. // Ich habe mir {dt} eingetragen. // Insgesamt sind das {money}. // Die neue Anschrift ist {street}, Hinterhaus.
// Frist ist der {date}, die Nummer dazu {ref}. @ask Können Sie mir das bis zum {date} bestätigen? // Wer kümmert sich
darum? // Passt Ihnen {dt}? // Brauchen Sie von uns noch [Unterlagen|eine Vollmacht|weitere Angaben]?
@fill [Vielen Dank|Danke|Herzlichen Dank] für [Ihre schnelle Antwort|die Rückmeldung|Ihre Geduld|die Erklärung]. //
{name} hat mir [gestern|heute früh|letzte Woche] [erzählt|geschrieben|gesagt], dass [der Lieferant|das Büro|der
Vermieter] [noch etwas Zeit braucht|schon Bescheid weiß|auf eine Antwort wartet]. // [Ehrlich gesagt|Offen gestanden|Um
ehrlich zu sein] hatten wir uns das [einfacher|schneller|etwas anders] vorgestellt, aber [so ist das eben|das bekommen
wir hin|daran hat niemand Schuld]. // [Soweit ich weiß,|Nach meinem Stand|Wenn ich es richtig verstehe,] hat [bisher
niemand|keiner von uns|auch {name} nicht] [daran gearbeitet|widersprochen|nachgefragt]. // Wir haben das
[ausführlich|zweimal|beim Mittagessen] besprochen, und [alle|die meisten| auch die Kollegen] [waren dafür|fanden die
erste Lösung besser|wollten lieber noch warten]. // [Entschuldigen Sie bitte|Verzeihung für] die [späte
Antwort|Verzögerung|Verwirrung], [hier war viel los|ich war nicht im Haus|Ihre Mail lag im falschen Ordner]. // Das
Wetter ist hier [scheußlich|herrlich|durchwachsen], deshalb [bleiben wir drinnen|sind die Kinder den ganzen Tag
draußen|fahre ich mit dem Bus]. // Es wäre [schade|ärgerlich|bedauerlich], [noch einmal von vorn anzufangen|jetzt
aufzugeben|weitere Zeit zu verlieren], [gerade nach|vor allem wegen] der ganzen [Arbeit|Mühe|Vorbereitung].
@topic Ihre Bestellung {c} // Rechnung {c} ~~ RE-2025-#### // AB-##### ~~ Die Rechnung {code} über {money} ist noch
offen. // Ihre Bestellung {code} geht am {date} in den Versand. // Wir haben {money} am {date} überwiesen. // Die
Sendung lässt sich unter {url} verfolgen. ~~ Können Sie an die Adresse {street} liefern? // Warum wurde der Rabatt nicht
abgezogen? ~~ Der Karton war [an der Ecke|unten|seitlich] [eingedrückt|feucht|aufgerissen], [der Inhalt ist aber in
Ordnung|ich habe ihn noch nicht geöffnet].
@topic Wohnungsbesichtigung // Drei-Zimmer-Wohnung am Stadtpark ~~ WHG-#### ~~ Die Besichtigung ist am {dt}. // Die
Wohnung liegt in der {street}, zweiter Stock. // Die Miete beträgt {money} kalt. // Das Exposé hat die Nummer {code}. //
Die Kaution von {money} ist bis zum {date} fällig. ~~ Sind Haustiere erlaubt? // Ist die Küche in der Miete enthalten?
~~ Das [Wohnzimmer|Schlafzimmer|Bad] geht [zum Hof|zum Garten|nach Süden] und ist [sehr ruhig|angenehm hell|frisch
gestrichen].
@ticket Anmeldung am Portal nicht möglich // Drucker druckt nicht ~~ TCK-##### ~~ Wir haben den Vorgang {code} für Sie
angelegt. // Der Techniker kommt am {dt}. // Im Protokoll steht der Fehler {code}. // Die Reparatur kostet {money}. //
Bitte laden Sie die Datei unter {url} hoch. ~~ Welche Version setzen Sie ein? // Dürfen wir den Vorgang {code}
schließen? ~~ Die Anzeige [blinkt|bleibt rot|wird dunkel], [und dann passiert nichts|danach erscheint die alte
Meldung|egal, was wir drücken].
`;
const FR = `
@re Re: // RE: @num _, @money % € // % EUR @join . @date %e %B %Y // %A %e %B %Y // %d/%m/%Y @dt %e %B %Y à %H:%M // %A
%e %B à %H:%M @time %H:%M @gmail Le %a %e %b %Y à %H:%M, {N} <{A}> a écrit : @apple Le %e %b %Y à %H:%M, {N} <{A}> a
écrit : @tb Le %d/%m/%Y à %H:%M, {N} a écrit : @labels De // Envoyé // À // Objet @sent %A %e %B %Y %H:%M @original
Message d'origine @mobile Envoyé de mon iPhone // Télécharger Outlook pour Android @greet Bonjour {to}, // Chère équipe,
// Bonjour à tous, // Salut {to}, // - @close Cordialement, // Bien à vous, // Merci et à bientôt, @people Hélène Girard
// François Lefèvre // Camille Roux // Mathieu Noël // Amélie Dubois // Karim Benali @orgs Atelier Beauséjour // Agence
du Vieux Port // Cèdre Informatique // Amis du Théâtre @roles Service client // Comptabilité @streets # rue des Lilas //
# avenue de la République // # bis, quai Saint-Rémi // # place du Marché @short Merci, c'est parfait. // C'est noté,
merci ! // Très bien, cela me convient. @disclaimer Ce message et ses pièces jointes sont confidentiels et destinés
exclusivement à leur destinataire. Si vous l'avez reçu par erreur, merci de le détruire et d'en avertir l'expéditeur.
@footer Vous recevez cette lettre car vous êtes inscrit. Se désabonner | Voir en ligne @tickethead Votre demande (#{id})
a été mise à jour. Pour ajouter un commentaire, répondez à cet e-mail. @tabintro Voici le récapitulatif : @listintro En
résumé : // Quelques précisions : @cols1 Article | Réf. | Qté | Prix @items Lampe de bureau // Étagère murale // Câble 2
m // Chaise pliante @cols2 Étape | Date | Heure @stops Arrivée // Visite guidée // Dîner // Retour en train @inline Mes
réponses sont ci-dessous. // Voir entre les lignes :
@fact La référence du dossier est {ref}. // Vous pouvez écrire à {mail} si besoin. // Tout est expliqué sur {url} pour
mémoire. // J'ai retenu la date du {dt}. // Le total s'élève à {money}. // Notre nouvelle adresse est le {street}, au
premier étage. @ask Pourriez-vous me le confirmer avant le {date} ? // Qui s'en occupe de votre côté ? // Est-ce que le
{dt} vous convient ? // Avez-vous encore besoin [d'un document|d'une signature|d'autres informations] ?
@fill Merci [beaucoup|encore] pour [votre réponse rapide|vos explications|votre patience|votre aide]. // {name} m'a
[dit|écrit|confirmé] [hier|ce matin|la semaine dernière] que [le fournisseur|le bureau|le propriétaire] [attendait une
réponse|était déjà au courant|avait besoin d'un peu de temps]. // [Pour être honnête|À vrai dire|Franchement], nous
pensions que ce serait [plus simple|plus rapide|moins compliqué], mais [ce n'est la faute de personne|on va y arriver|ce
sont des choses qui arrivent]. // [À ma connaissance|Sauf erreur de ma part|Si j'ai bien compris], personne n'a [encore
travaillé là-dessus|soulevé d'objection|posé la question] [jusqu'ici|depuis]. // Nous en avons parlé [longuement|deux
fois|pendant le déjeuner] et [tout le monde|la plupart des collègues|même {name}] [préférait attendre|était
d'accord|trouvait la première solution meilleure]. // Veuillez excuser [ma réponse tardive|ce retard|cette confusion],
[la semaine a été chargée|j'étais en déplacement|votre message était mal classé]. // Il fait [un temps affreux|très
beau|assez frais] ici, alors [nous restons à la maison|les enfants jouent dehors|je prends le bus]. // Ce serait dommage
de [tout recommencer|perdre encore du temps|renoncer maintenant], surtout après [tout ce travail|tant d'efforts|ces
longues discussions].
@topic Votre commande {c} // Facture {c} ~~ CMD-###### // FA-2025-### ~~ Votre commande {code} partira le {date}. // La
facture {code} de {money} reste à régler. // Nous avons viré {money} le {date}. // Le colis peut être suivi sur {url}
dès ce soir. ~~ Pouvez-vous livrer au {street} ? // Pourquoi la remise n'a-t-elle pas été appliquée ? ~~ Le carton est
arrivé [un peu abîmé|mouillé|ouvert], mais [le contenu semble intact|rien ne manque|je n'ai pas encore vérifié].
@topic Voyage à Lyon // Week-end de septembre ~~ ??#?#? ~~ Le code de réservation est {code}. // Notre train part le
{dt}. // L'hôtel se trouve {street}, tout près de la gare. // Deux nuits coûtent {money} avec le petit déjeuner. ~~ On
se retrouve à la gare à {time} ? // Qui réserve la deuxième nuit ? ~~ La dernière fois, [le musée|le vieux quartier|le
marché] était [fermé|magnifique|bondé], donc [partons tôt|gardons un après-midi libre].
@newsletter La lettre du mois // Nouvelles de l'atelier ~~ AVRIL## ~~ Avec le code {code}, la livraison est offerte. //
L'atelier du {date} coûte {money} par personne. // Nous vous attendons le {dt}. // Le programme complet est sur {url}
depuis hier. ~~ Reste-t-il des places pour le {date} ? // Peut-on venir avec un ami ? ~~ Notre [jardin|atelier|petit
magasin] a beaucoup [changé|grandi] [cet hiver|depuis l'automne], et nous en sommes [fiers|heureux|ravis].
`;
const ES = `
@re Re: // RV: @num ., @money % € // % EUR @join . @date %e de %B de %Y // %d/%m/%Y // %A, %e de %B @dt %e de %B a las
%H:%M // %A %e de %B a las %H:%M @time %H:%M @gmail El %a, %e %b %Y a las %H:%M, {N} (<{A}>) escribió: @apple El %e %b
%Y, a las %H:%M, {N} <{A}> escribió: @tb El %d/%m/%y a las %H:%M, {N} escribió: @labels De // Enviado // Para // Asunto
@sent %A, %e de %B de %Y %H:%M @original Mensaje original @mobile Enviado desde mi iPhone // Obtener Outlook para
Android @greet Hola, {to}: // Buenos días, {to}: // Apreciado equipo: // Hola a todos: // - @close Un saludo, // Saludos
cordiales, // Gracias y un abrazo, @people Lucía Fernández // Íñigo Peña // María José Núñez // Andrés Gómez // Raquel
Ibáñez // Tomás Muñoz @orgs Viajes Peñalara // Suministros Ordóñez // Club de Montaña // Logística Rías @roles Atención
al cliente // Administración @streets Calle Mayor, # // Avenida de la Constitución, # // Plaza de España, # // Calle
Núñez de Balboa, # @short Perfecto, muchas gracias. // Me parece bien. // Anotado, gracias por avisar. @disclaimer Este
mensaje es confidencial y va dirigido únicamente a su destinatario. Si lo ha recibido por error, le rogamos que lo
elimine y avise al remitente. @footer Recibe este boletín porque se suscribió en nuestra web. Darse de baja | Ver en el
navegador @tickethead Su solicitud (#{id}) se ha actualizado. Para añadir un comentario, responda a este correo.
@tabintro Este es el resumen: @listintro En resumen: // Algunos detalles: @cols1 Artículo | Núm. | Cant. | Precio @items
Lámpara de mesa // Silla plegable // Cable de 2 m // Estantería pequeña @cols2 Qué | Fecha | Hora @stops Llegada //
Visita guiada // Cena // Tren de vuelta @inline Respondo entre líneas. // Véase abajo:
@fact El número de expediente es {ref}. // Puede escribir a {mail} cuando quiera. // Los detalles están en {url} para
todos. // He apuntado el {dt} en mi agenda. // En total son {money}. // La nueva dirección es {street}, primera planta.
@ask ¿Me lo puede confirmar antes del {date}? // ¿Quién se encarga de esto? // ¿Le viene bien el {dt}? // ¿Necesitan
[algún documento más|una copia firmada|otros datos]?
@fill [Muchas gracias|Gracias|Mil gracias] por [su rápida respuesta|la explicación|su paciencia|la ayuda]. // {name} me
[dijo|comentó|escribió] [ayer|esta mañana|la semana pasada] que [el proveedor|la oficina|el propietario] [necesitaba más
tiempo|ya lo sabía|seguía esperando una respuesta]. // [La verdad es que|Sinceramente,|Para ser sinceros,] pensábamos
que sería [más sencillo|más rápido|menos complicado], pero [son cosas que pasan|nadie tiene la culpa|lo vamos a
conseguir]. // [Que yo sepa|Si no me equivoco|Si lo entiendo bien], nadie ha [trabajado en ello|puesto
objeciones|preguntado por eso] [hasta ahora|desde entonces]. // Lo hemos hablado [con calma|dos veces|durante la comida]
y [todos|casi todos|los compañeros] [preferían esperar|estaban de acuerdo|veían mejor la primera opción]. // Disculpe
[el retraso|la confusión|la tardanza], [ha sido una semana complicada|estaba de viaje|su correo estaba en otra carpeta].
// Aquí hace [un tiempo horrible|un sol estupendo|bastante frío], así que [nos quedamos en casa|los niños están siempre
fuera|voy en autobús]. // Sería una pena [empezar otra vez|perder más tiempo|dejarlo ahora], sobre todo después de
[tanto trabajo|tanto esfuerzo|tantas reuniones].
@topic Su pedido {c} // Factura {c} ~~ PED-###### // FV-#### ~~ Su pedido {code} sale el {date}. // La factura {code} de
{money} sigue pendiente. // Hicimos la transferencia de {money} el {date}. // El envío se puede seguir en {url} desde
hoy. ~~ ¿Pueden entregarlo en {street}? // ¿Por qué no se aplicó el descuento? ~~ La caja llegó [mojada|abierta|algo
dañada], pero [el contenido está bien|no falta nada|todavía no la he abierto].
@topic Viaje a Sevilla // Reserva de hotel {c} ~~ ??#?#? // RES-#### ~~ El localizador es {code}. // El tren sale el
{dt}. // El hotel está en {street}, cerca de la estación. // Dos noches cuestan {money} con desayuno. ~~ ¿Quedamos en la
estación a las {time}? // ¿Quién reserva la segunda noche? ~~ La última vez [el museo|el mercado|el centro] estaba
[cerrado|lleno de gente|precioso], así que [mejor salir temprano|dejemos una tarde libre].
@topic Asamblea del club // Excursión de otoño ~~ CM-### ~~ La asamblea será el {dt}. // Nos vemos en {street}, por la
puerta de atrás. // La cuota es de {money} este año. // Su número de socio es {code}. // La inscripción termina el
{date}. ~~ ¿Quién puede llevar las llaves? // ¿Pueden venir invitados? ~~ La junta [ha prometido|quiere|espera]
[arreglar el tejado|pintar el refugio|comprar mesas nuevas], [si el presupuesto lo permite|como cada año].
`;
const PT = `
@re Re: // RES: @num ., @money % € // R$ % @join . @date %e de %B de %Y // %d/%m/%Y @dt %e de %B às %H:%M // %A, %d/%m,
às %H:%M @time %H:%M @gmail Em %a, %e de %b de %Y às %H:%M, {N} <{A}> escreveu: @apple No dia %d/%m/%Y, às %H:%M, {N}
<{A}> escreveu: @tb Em %d/%m/%Y %H:%M, {N} escreveu: @labels De // Enviado // Para // Assunto @sent %A, %e de %B de %Y
%H:%M @original Mensagem original @mobile Enviado do meu iPhone @greet Olá, {to}, // Bom dia, {to}, // Oi, {to}! // -
@close Atenciosamente, // Um abraço, // Obrigado, @people João Conceição // Inês Magalhães // Tiago Araújo // Beatriz
Lourenço @orgs Livraria São Bento // Construções Gonçalves @roles Atendimento ao cliente // Financeiro @streets Rua das
Flores, # // Avenida da Liberdade, # @short Perfeito, muito obrigado. // Combinado, até lá! @disclaimer Esta mensagem é
confidencial. Se a recebeu por engano, por favor elimine-a e avise o remetente. @footer Você recebe este boletim porque
se inscreveu. Cancelar inscrição @tickethead Seu pedido (#{id}) foi atualizado. Para comentar, responda a este e-mail.
@tabintro Segue o resumo: @listintro Em resumo: @cols1 Artigo | N.º | Qtd. | Preço @items Luminária // Cadeira dobrável
// Estante baixa @cols2 O quê | Data | Hora @stops Chegada // Visita // Jantar @inline Respondo abaixo de cada ponto.
@fact O número do processo é {ref}. // Pode escrever para {mail} a qualquer momento. // Está tudo em {url} para
consulta. // No total são {money}. // O novo endereço é {street}, ao lado do mercado. @ask Pode confirmar até {date}? //
Quem vai tratar disso? // O dia {dt} fica bem para todos?
@fill Obrigado [pela resposta rápida|pela explicação|pela paciência]. // {name} [disse|escreveu|contou] [ontem|esta
manhã|na semana passada] que [o fornecedor|o escritório|o senhorio] [precisava de mais tempo|já sabia|estava à espera de
resposta]. // [Para ser sincero|Na verdade], esperávamos algo [mais simples|mais rápido|menos complicado], mas
[acontece|ninguém tem culpa|vamos conseguir]. // Falámos [com calma|duas vezes|ao almoço] e [todos|quase todos|os
colegas] [concordaram|preferiam esperar|gostaram da primeira ideia]. // Desculpe [o atraso|a confusão|a demora], [a
semana foi complicada|eu estava em viagem]. // Seria uma pena [começar de novo|perder mais tempo|desistir agora],
sobretudo depois de [tanto trabalho|tantas reuniões|tanto esforço].
@topic Encomenda {c} // Fatura {c} ~~ ENC-##### // FT ####/## ~~ A encomenda {code} sai no dia {date}. // A fatura
{code} de {money} ainda está em aberto. // A entrega pode ser seguida em {url} a partir de hoje. ~~ Podem entregar em
{street}? // O desconto não foi aplicado? ~~ A caixa chegou [molhada|aberta|amassada], mas [está tudo inteiro|ainda não
a abri|não falta nada].
@topic Visita ao apartamento ~~ AP-### ~~ A visita é no dia {dt}. // O apartamento fica na {street}, terceiro andar. //
A renda é de {money} por mês. ~~ Aceitam animais? // A cozinha está equipada? ~~ A [sala|varanda|cozinha] é [muito
clara|tranquila|pequena], mas [dá para o jardim|tem boa vista].
`;
const JA = `
@re Re: @num ,. @money %円 // ¥% @join - @date %Y年%m月%d日 // %e日(%a) // %m月%d日(%a) @dt %m月%d日(%a) %H:%M
// %Y年%m月%d日 %H時%M分 @time %H:%M @gmail %Y年%m月%d日(%a) %H:%M {N} <{A}>: @apple %Y/%m/%d %H:%M、{N} <{A}>のメール:
@tb On %Y/%m/%d %H:%M, {N} wrote: @labels 差出人 // 送信日時 // 宛先 // 件名 @sent %Y年%m月%d日 %H:%M @original Original Message
@mobile iPhoneから送信 @greet {to}様 // {to}さん // お世話になっております。 // - @close よろしくお願いいたします。 // 以上、よろしくお願い申し上げます。
@people 佐藤 健一=k.sato // 鈴木 美咲=misaki.suzuki // 田中 一郎=tanaka // 高橋 由美=y.takahashi @orgs 青葉商事株式会社=aoba // みどり不動産=midori
@roles 営業部 // カスタマーサポート @streets 東京都港区芝公園4-2-# // 大阪市北区梅田3-1-# @short 承知いたしました。ありがとうございます。 // 了解です。
@disclaimer このメールには機密情報が含まれている場合があります。誤って受信された場合は、送信者にご連絡のうえ削除してください。 @footer このメールは会員の皆様にお送りしています。配信停止はこちら
@tickethead お問い合わせ(#{id})が更新されました。コメントを追加するには、このメールに返信してください。 @tabintro 一覧は以下のとおりです。 @listintro 要点は以下のとおりです。
@cols1 品名 | 番号 | 数量 | 金額 @items デスクライト // 事務用椅子 // 延長ケーブル @cols2 内容 | 日付 | 時間 @stops 到着 // 見学 // 夕食会
@inline 以下、行間に回答いたします。
@fact 管理番号は{ref}です。 // ご連絡は {mail} までお願いいたします。 // 詳細は {url} に掲載しております。 // 日程は{dt}でお願いします。 // 合計は{money}になります。
// 新しい住所は{street}です。 @ask {date}までにご返信いただけますか。 // ご都合はいかがでしょうか？ // {dt}でよろしいでしょうか。 // 担当はどなたでしょうか？
@fill [早速のご返信|詳しいご説明|いつもご協力|先日のお時間]をいただき、[誠に|本当に|大変]ありがとうございます。
// {name}さんから、[昨日|今朝|先週]、[業者|事務所|大家さん|経理担当]が[すでに把握している|もう少し時間が必要だ|返事を待っている]と[聞きました|連絡がありました]。
// [正直なところ|率直に申しますと|実は]、[私たちは|社内では|当初は]もう少し[簡単に|早く|順調に]進むと思っていましたが、[仕方がありません|誰のせいでもありません|何とかなりそうです]。
// [私の知る限り|記憶が正しければ|今のところ]、[この件|この点|その提案]について[まだ誰も作業していません|反対する人はいませんでした|質問は出ていません]。
// [会議で|昼食の際に|電話で]この件を[詳しく|改めて|二度ほど]話し合い、[全員が|多くの人が|同僚も][賛成しました|最初の案を選びました|少し待つほうがよいと言っていました]。
// [お返事|ご連絡|対応]が遅くなり、[申し訳ございません|失礼いたしました]。[出張で不在にしておりました|今週は立て込んでおりました|メールの整理ができておりませんでした]。
// こちらは[雨が続いて|とても良い天気で|少し肌寒くて]、[外出を控えています|子供たちは一日中外で遊んでいます|バスで通っています]。
// [ここで最初からやり直す|これ以上時間をかける|今あきらめる]のは、[皆さんの努力|これまでの準備|何度も重ねた相談]を考えると[もったいない|残念だ|避けたい]と思います。
@topic ご注文{c}について // 請求書{c}の件 ~~ A####-### // INV#### ~~ ご注文番号は{code}です。 // 商品は{date}に発送いたします。 // 請求額{money}をご確認ください。
// 配送状況は {url} で確認できます。 ~~ 配送先を変更できますか？ // 割引は適用されていますか。 ~~ 箱が[少し濡れて|角だけつぶれて|開いた状態で届いて]いましたが、[中身は無事でした|まだ開けておりません]。
@topic 内見の日程について ~~ BK-#### ~~ 内見は{dt}からです。 // 物件は{street}にあります。 // 家賃は{money}で、管理費は別です。 // 物件番号は{code}です。 ~~ ペットは飼えますか？
// 駐車場はありますか。 ~~ [居間|台所|寝室]は[南向き|庭側|静かな通り側]で、[とても明るい|落ち着いた|風通しのよい]部屋です。
`;
const PL = `
@re Odp: // Re: @num _, @money % zł // % PLN @join . @date %e %B %Y // %d.%m.%Y @dt %e %B o %H:%M // %d.%m.%Y, godz.
%H:%M @time %H:%M @gmail %a, %e %b %Y o %H:%M {N} <{A}> napisał(a): @apple Wiadomość napisana przez {N} <{A}> w dniu %e
%b %Y, o godz. %H:%M: @tb W dniu %d.%m.%Y o %H:%M, {N} pisze: @labels Od // Wysłane // Do // Temat @sent %A, %e %B %Y
%H:%M @original Wiadomość oryginalna @mobile Wysłane z iPhone'a @greet Dzień dobry, // Cześć, // Szanowni Państwo, // -
@close Pozdrawiam // Z poważaniem // Serdecznie pozdrawiam @people Małgorzata Wójcik // Paweł Zając // Łukasz Dąbrowski
// Agnieszka Żak @orgs Meble Jesion // Księgarnia Źródło @roles Dział obsługi // Księgowość @streets ul. Lipowa # // ul.
Święty Marcin #/4 // al. Niepodległości # @short Dziękuję, pasuje. // W porządku, dzięki! @disclaimer Niniejsza
wiadomość jest poufna. Jeśli nie są Państwo jej adresatem, prosimy o jej usunięcie. @footer Otrzymują Państwo ten
biuletyn na podstawie zapisu. Wypisz się @tickethead Zgłoszenie (#{id}) zostało zaktualizowane. Aby dodać komentarz,
wystarczy odpowiedzieć na tę wiadomość. @tabintro Oto zestawienie: @listintro W skrócie: @cols1 Towar | Nr | Ilość |
Cena @items Lampka biurkowa // Krzesło // Kabel 2 m @cols2 Co | Data | Godzina @stops Przyjazd // Zwiedzanie // Kolacja
@inline Odpowiadam poniżej.
@fact Numer sprawy to {ref}. // Proszę pisać na adres {mail} w razie pytań. // Szczegóły są na stronie {url} od dziś. //
Razem wychodzi {money}. // Nowy adres to {street}, drugie piętro. // Proponuję termin {dt}. @ask Czy możemy to
potwierdzić do {date}? // Kto się tym zajmie? // Czy termin {dt} będzie odpowiedni?
@fill [Dziękuję|Bardzo dziękuję|Dziękujemy] za [szybką odpowiedź|wyjaśnienie|cierpliwość|pomoc]. // [Wczoraj|Dziś rano|W
zeszłym tygodniu] [dowiedziałem się| usłyszeliśmy], że [dostawca|nasz księgowy|właściciel] [potrzebuje więcej czasu|już
o tym wie|czeka na odpowiedź]. // [Szczerze mówiąc|Prawdę mówiąc], miało być [prościej|szybciej|trochę inaczej], ale
[nikt nie jest winny|damy radę|tak bywa]. // Rozmawialiśmy o tym [długo|dwa razy|przy obiedzie] i [wszyscy|prawie
wszyscy] [byli za|woleli poczekać|wybrali pierwszy pomysł]. // Przepraszam za [opóźnienie|zamieszanie|późną odpowiedź],
[miałem trudny tydzień|byłem w podróży]. // Szkoda byłoby [zaczynać od nowa|tracić czas|teraz rezygnować], zwłaszcza po
[tylu rozmowach|tak długiej pracy|tylu próbach].
@topic Zamówienie {c} // Faktura {c} ~~ ZAM/##### // FV/2025/#### ~~ Zamówienie {code} wyślemy {date}. // Do zapłaty
zostało {money}. // Faktura ma numer {code}. // Paczkę można śledzić pod adresem {url} już teraz. ~~ Czy paczka została
już wysłana? // Czy dostawa na adres {street} jest możliwa? ~~ Karton był [mokry|otwarty| trochę uszkodzony], ale
[zawartość jest cała|niczego nie brakuje|jeszcze go nie otworzyłem].
@ticket Problem z logowaniem ~~ ZGL-##### ~~ Numer zgłoszenia to {code}. // Technik zadzwoni {dt}. // W dzienniku widać
błąd {code}. // Naprawa kosztuje {money}. ~~ Czy błąd pojawia się po ponownym uruchomieniu? ~~ Ekran
[miga|gaśnie|zostaje czarny], a [potem nic się nie dzieje|stary komunikat wraca].
`;
const TR = `
@re Ynt: // Re: @num ., @money % TL // % ₺ @join . @date %e %B %Y // %d.%m.%Y // %e %B %A @dt %e %B %Y, saat %H:%M // %e
%B %A %H:%M @time %H:%M @gmail {N} <{A}>, %e %b %Y %a, %H:%M tarihinde şunu yazdı: @apple {N} <{A}> şunları yazdı (%e %b
%Y %H:%M): @tb On %d.%m.%Y %H:%M, {N} wrote: @labels Kimden // Gönderildi // Kime // Konu @sent %e %B %Y %A %H:%M
@original Özgün İleti @mobile iPhone’umdan gönderildi @greet Merhaba {to}, // İyi günler, // Sayın {to}, // - @close
Saygılarımla, // İyi çalışmalar, // Sevgiler, @people Ayşe Yılmaz // Çağrı Öztürk // Gökhan Şahin // İpek Doğan @orgs
Çınar Mobilya // Işık Turizm @roles Müşteri Hizmetleri // Muhasebe @streets Çınar Sokak No: # // Atatürk Caddesi No: #/3
// Gül Sokak No: # @short Teşekkürler, bana uyar. // Tamamdır, sağ olun. @disclaimer Bu e-posta gizlidir. Yanlışlıkla
aldıysanız lütfen silin ve göndereni bilgilendirin. @footer Bu bülteni üye olduğunuz için alıyorsunuz. Abonelikten çık
@tickethead Talebiniz (#{id}) güncellendi. Yorum eklemek için bu e-postayı yanıtlayın. @tabintro Özet aşağıdadır:
@listintro Kısaca: @cols1 Ürün | No | Adet | Tutar @items Masa lambası // Ofis koltuğu // Kablo 2 m @cols2 Konu | Tarih
| Saat @stops Varış // Gezi // Akşam yemeği @inline Yanıtlarım satır aralarında.
@fact Dosya numarası: {ref}. // Bize {mail} adresinden yazabilirsiniz. // Ayrıntılar {url} adresinde. // Toplam tutar
{money} olarak hesaplandı. // Yeni adresimiz {street}, ikinci kat. // Görüşme {dt} için planlandı. @ask {date} tarihine
kadar onaylayabilir misiniz? // Bu işle kim ilgilenecek? // {dt} sizin için uygun mu?
@fill [Hızlı yanıtınız|Açıklamanız|Sabrınız|Yardımınız] için [teşekkürler|çok teşekkür ederim]. // {name} [dün|bu
sabah|geçen hafta] [tedarikçinin|ofisin|ev sahibinin] [yanıt beklediğini|biraz daha zamana ihtiyacı olduğunu|konuyu
bildiğini] [söyledi|yazdı]. // [Açıkçası|Doğrusu], işin [daha kolay|daha hızlı|biraz daha sorunsuz] olacağını
düşünmüştük, ama [kimsenin suçu değil|hallederiz|olur böyle şeyler]. // Konuyu [uzun uzun|iki kez|öğle yemeğinde]
konuştuk ve [herkes|ekibin çoğu] [ilk öneriyi seçti|beklemek istedi|kabul etti]. // [Gecikme|Karışıklık|Geç yanıt] için
özür dilerim, [yoğun bir haftaydı|seyahatteydim]. // [Yeniden başlamak|Daha fazla zaman kaybetmek|Şimdi vazgeçmek] yazık
olur, özellikle [bunca emekten|onca görüşmeden] sonra.
@topic Siparişiniz {c} // Fatura {c} ~~ SIP-##### // FTR2025#### ~~ {code} numaralı siparişiniz kargoya verildi. //
Teslimat tarihi {date} olarak görünüyor. // {code} numaralı faturanın tutarı {money} olarak kesildi. // Kargoyu {url}
adresinden izleyebilirsiniz. ~~ Teslimat {street} adresine yapılabilir mi? // İndirim neden uygulanmadı? ~~ Kutu
[ıslak|açık|hasarlı] geldi, ama [içindekiler sağlam|eksik yok|henüz açmadım].
@topic Kapadokya gezisi ~~ ??##?# ~~ Rezervasyon kodumuz {code}. // Uçak {dt} kalkıyor. // Otel {street} adresinde. //
İki gece kahvaltı dahil {money} tutuyor. ~~ Saat {time} havaalanında buluşalım mı? ~~ Geçen sefer [müze|çarşı|eski
şehir] [kapalıydı|çok kalabalıktı|harikaydı], o yüzden [erken çıkalım|bir gün daha kalalım].
`;
const RU = `
@re Re: // HA: @num _, @money % ₽ // % руб @join . @date %e %B %Y // %d.%m.%Y // %e %B @dt %e %B в %H:%M // %d.%m.%Y,
%H:%M @time %H:%M @gmail %a, %e %b %Y г. в %H:%M, {N} <{A}>: @apple %e %B %Y г., в %H:%M, {N} <{A}> написал(а): @tb
%d.%m.%Y %H:%M, {N} пишет: @labels От // Отправлено // Кому // Тема @sent %e %B %Y г. %H:%M @original Исходное сообщение
@mobile Отправлено с iPhone @greet Здравствуйте, {to}! // Добрый день! // Привет, {to}! // - @close С уважением, //
Всего доброго, // Спасибо! @people Анна Смирнова=a.smirnova // Дмитрий Волков=volkov // Елена Кузнецова=elena.k // Игорь
Соколов=sokolov @orgs Мебель Плюс=mebelplus // Северный Ветер=sever @roles Отдел продаж // Бухгалтерия @streets улица
Садовая, д. # // Невский проспект, # // улица Мира, д. #, кв. 8 @short Спасибо, мне подходит. // Хорошо, договорились!
@disclaimer Это письмо конфиденциально. Если вы получили его по ошибке, удалите его и сообщите отправителю. @footer Вы
подписаны на рассылку. Отписаться @tickethead Ваша заявка (#{id}) обновлена. Чтобы добавить комментарий, ответьте на это
письмо. @tabintro Вот сводка: @listintro Коротко: @cols1 Товар | № | Кол-во | Сумма @items Настольная лампа // Стул
офисный // Кабель 2 м @cols2 Что | Дата | Время @stops Прибытие // Экскурсия // Ужин @inline Ответы ниже, между строк.
@fact Номер дела: {ref}. // Пишите нам на {mail} в любое время. // Подробности на странице {url} с сегодняшнего дня. //
Всего получается {money}, включая доставку. // Новый адрес: {street}, второй этаж. // Предлагаю встретиться {dt}. @ask
Сможете подтвердить до {date}? // Кто этим займётся? // Вам подходит {dt}?
@fill [Спасибо|Большое спасибо|Благодарю] за [быстрый ответ|объяснение|терпение|помощь]. // [Вчера|Сегодня утром|На
прошлой неделе] [мне сообщили|мы узнали], что [поставщик| бухгалтер|хозяин квартиры] [ждёт ответа|уже в курсе|просит ещё
немного времени]. // [Честно говоря|По правде сказать], мы думали, что всё будет [проще|быстрее|немного иначе], но
[никто не виноват|мы справимся|так бывает]. // Мы обсудили это [подробно|дважды|за обедом], и [все|почти все|коллеги]
[согласились|решили подождать|выбрали первый вариант]. // Извините за [задержку|путаницу|поздний ответ], [неделя была
тяжёлая|письмо попало не в ту папку]. // Было бы жаль [начинать всё заново|терять время| отказываться сейчас], особенно
после [такой работы|стольких разговоров|долгой подготовки].
@topic Заказ {c} // Счёт {c} ~~ ЗК-##### // INV-#### ~~ Заказ {code} отправлен. // Доставка намечена на {date}, курьер
позвонит заранее. // По счёту {code} нужно оплатить {money} без комиссии. // Посылку можно отследить на {url} уже
сегодня. ~~ Можно ли доставить по адресу {street}? // Почему не учли скидку? ~~ Коробка пришла [мокрой|открытой| немного
помятой], но [всё цело|ничего не пропало|мы её ещё не открывали].
@ticket Не работает вход на сайт ~~ TCK-##### ~~ Заявке присвоен номер {code}. // Мастер приедет {dt}. // В журнале
видна ошибка {code}. // Ремонт стоит {money} с выездом. ~~ Ошибка повторяется после перезагрузки? // Можно закрыть
заявку {code}? ~~ Экран [мигает|гаснет|остаётся чёрным], а [потом ничего не происходит|сообщение появляется снова].
`;

export type GeneratedThread = { raw: string[]; texts: string[]; facts: string[] };
type Topic = { kind: string; subject: string[]; code: string[]; fact: string[]; ask: string[]; fill: string[] };
type Pack = { locale: string; s: (name: string) => string[]; topics: Topic[] };
type Client = "gmail" | "outlook" | "apple" | "thunderbird" | "plain" | "mobile" | "ticket" | "newsletter";
type Person = { name: string; first: string; addr: string; org: string; client: Client; sig: string[]; note: string };
type Block =
  | { kind: "p"; s: string }
  | { kind: "quote"; s: string }
  | { kind: "list"; items: string[] }
  | { kind: "table"; rows: string[][] };
type Mail = {
  from: Person;
  at: number;
  id: string;
  refs: string[];
  to: string;
  text: string[];
  own: string[];
  html: string;
};

const DESK = "desk@mail.localhost";
const split = (s: string, by: string) => s.split(by).flatMap((part) => part.trim() || []);

function parsePack(locale: string, source: string): Pack {
  const sections = new Map<string, string[]>();
  const topics: Topic[] = [];
  for (const part of source.split("@").slice(1)) {
    const [, name = "", body = ""] = /^(\w+)\s+(.*)$/.exec(part.replace(/\s+/g, " ").trim()) ?? [];
    const [subject = [], code = [], fact = [], ask = [], fill = []] = body.split("~~").map((p) => split(p, "//"));
    if (/^(topic|ticket|newsletter)$/.test(name)) topics.push({ kind: name, subject, code, fact, ask, fill });
    else sections.set(name, subject);
  }
  return { locale, topics, s: (name) => sections.get(name) ?? [] };
}
const ENGLISH = parsePack("en-GB", EN);
const OTHERS = Object.entries({ de: DE, fr: FR, es: ES, "pt-BR": PT, ja: JA, pl: PL, tr: TR, ru: RU }).map(
  ([locale, s]) => parsePack(locale, s),
);

function randomness(seed: number) {
  let state = (seed * 2654435761) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const int = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  const pick = <T>(list: readonly T[]): T => list[int(0, list.length - 1)] as T;
  const letters = (pattern: string) =>
    pattern.replace(/[#?]/g, (c) => (c === "#" ? `${int(0, 9)}` : pick([..."ABCDEFGHKLMNPQRSTUVWXYZ"])));
  const hex = (n: number) => Array.from({ length: n }, () => int(0, 15).toString(16)).join("");
  const shuffle = <T>(list: T[]) => {
    const keyed = list.map((v) => [next(), v] as const).sort((a, b) => a[0] - b[0]);
    return keyed.map(([, v]) => v);
  };
  return { next, int, pick, letters, hex, shuffle, chance: (p: number) => next() < p };
}
type Random = ReturnType<typeof randomness>;

const formats = new Map<string, Intl.DateTimeFormat>();
function strftime(pattern: string, at: number, locale: string): string {
  const date = new Date(at);
  const pad = (n: number) => `${n}`.padStart(2, "0");
  const word = (options: Intl.DateTimeFormatOptions, type: string) => {
    const key = locale + JSON.stringify(options);
    const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" });
    formats.set(key, format);
    return format.formatToParts(date).find((p) => p.type === type)?.value ?? "";
  };
  const [hours, minutes] = [date.getUTCHours(), pad(date.getUTCMinutes())];
  const values: Record<string, () => string> = {
    e: () => `${date.getUTCDate()}`,
    d: () => pad(date.getUTCDate()),
    m: () => pad(date.getUTCMonth() + 1),
    Y: () => `${date.getUTCFullYear()}`,
    y: () => `${date.getUTCFullYear()}`.slice(2),
    H: () => pad(hours),
    M: () => minutes,
    I: () => `${hours % 12 || 12}:${minutes} ${hours < 12 ? "AM" : "PM"}`,
    A: () => word({ weekday: "long" }, "weekday"),
    a: () => word({ weekday: "short" }, "weekday").replace(/\.$/, ""),
    B: () => word({ day: "numeric", month: "long" }, "month"),
    b: () => word({ day: "numeric", month: "short" }, "month"),
  };
  return pattern.replace(/%([a-zA-Z])/g, (all, key: string) => values[key]?.() ?? all);
}

const escapeHtml = (s: string) =>
  s.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
const PLAIN: Record<string, string> = { ł: "l", ß: "ss", ı: "i" };
const slug = (s: string) => {
  const lower = s.toLowerCase().replace(/[łßı]/g, (c) => PLAIN[c] ?? c);
  return lower.normalize("NFD").replace(/[^a-z0-9]/g, "");
};

function wrap(s: string, width: number, end = ""): string[] {
  const lines = [""];
  for (const word of s.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last && last.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines.map((line, i) => (i < lines.length - 1 ? line + end : line));
}

function encodeWord(s: string): string {
  if (/^[\x20-\x7e]*$/.test(s)) return s;
  const chunks = s.match(/.{1,13}/gu) ?? [];
  return chunks.map((c) => `=?UTF-8?B?${Buffer.from(c).toString("base64")}?=`).join("\r\n ");
}

function quotedPrintable(bytes: Buffer): string {
  const encodeLine = (line: string) => {
    const units = [...line].map((c, i) =>
      /[!-<>-~]/.test(c) || (/[ \t]/.test(c) && i < line.length - 1)
        ? c
        : `=${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
    );
    let [out, width] = ["", 0];
    for (const unit of units) {
      if (width + unit.length > 75) [out, width] = [`${out}=\r\n`, 0];
      out += unit;
      width += unit.length;
    }
    return out;
  };
  return bytes.toString("latin1").split("\r\n").map(encodeLine).join("\r\n");
}

/** One MIME body with its content headers, in an encoding its mail program could have chosen. */
function part(type: string, lines: string[], client: Client, r: Random): string {
  const body = lines.join("\r\n");
  const long = lines.some((line) => Buffer.byteLength(line) > 900);
  const ascii = Buffer.byteLength(body) === body.length;
  const latin = [...body].every((c) => c <= "\xff") && client === "outlook" && !ascii;
  const charset = latin ? "iso-8859-1" : ascii && r.chance(0.4) ? "us-ascii" : "utf-8";
  const bytes = Buffer.from(body, latin ? "latin1" : "utf8");
  const flowed = type === "text/plain" && client === "thunderbird" ? "; format=flowed" : "";
  const wide = [...body].filter((c) => c > "\xff").length > body.length / 3;
  const coded = long || client === "outlook" || (client === "gmail" && !ascii) || r.chance(0.3);
  const encoding = coded ? (wide ? "base64" : "quoted-printable") : ascii ? "7bit" : "8bit";
  const base64 = () => (bytes.toString("base64").match(/.{1,76}/g) ?? []).join("\r\n");
  const data = encoding === "base64" ? base64() : coded ? quotedPrintable(bytes) : body;
  const name = client === "gmail" || client === "outlook" ? `"${charset.toUpperCase()}"` : charset;
  return `Content-Type: ${type}; charset=${name}${flowed}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${data}\r\n`;
}

type Program = { headers: string; attribution: string; p: string; quote: string; boundary: string; sig?: string };
const COMMON = { headers: "MIME-Version: 1.0", attribution: "tb", p: "<p>|</p>|", boundary: "--=_Part_########" };
const CITE = '<div class="moz-cite-prefix">{cite}<br></div>\n<blockquote type="cite" cite="mid:{id}">|</blockquote>';
const APPLE_QUOTE = '<div><br><blockquote type="cite"><div>{cite}</div><br>|</blockquote></div>';
const OUTLOOK_QUOTE =
  '<div style="border:none;border-top:solid #E1E1E1 1.0pt"><p class="MsoNormal">{labels}</p></div>|';
const GMAIL_QUOTE = `<br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">{cite}<br></div>
<blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid #ccc">|</blockquote></div>`;
const PROGRAMS: Record<Client, Program> = {
  gmail: {
    ...COMMON,
    attribution: "gmail",
    p: '<div dir="auto">|</div>|<div><br></div>',
    quote: GMAIL_QUOTE,
    boundary: "000000000000############",
    sig: '<span class="gmail_signature_prefix">-- </span><br><div dir="ltr" class="gmail_signature">',
  },
  outlook: {
    headers: "Accept-Language: en-GB, de-DE\r\nContent-Language: en-GB\r\nX-MS-Has-Attach:\r\nMIME-Version: 1.0",
    attribution: "tb",
    p: '<p class="MsoNormal">|<o:p></o:p></p>|<p class="MsoNormal"><o:p>&nbsp;</o:p></p>',
    quote: OUTLOOK_QUOTE,
    boundary: "_000_????##??????####??EURP193_",
  },
  apple: {
    headers: "Mime-Version: 1.0 (Mac OS X Mail 16.0 \\(3774.600.62\\))\r\nX-Mailer: Apple Mail (2.3774.600.62)",
    attribution: "apple",
    p: "<div>|</div>|<div><br></div>",
    quote: APPLE_QUOTE,
    boundary: "Apple-Mail=_########-####-####-############",
  },
  thunderbird: {
    ...COMMON,
    headers: "MIME-Version: 1.0\r\nUser-Agent: Mozilla Thunderbird",
    quote: CITE,
    boundary: "------------????????????????",
    sig: '<div class="moz-signature">-- <br>',
  },
  plain: { ...COMMON, headers: "MIME-Version: 1.0\r\nUser-Agent: Mutt/2.2.12 (2023-09-09)", quote: CITE },
  mobile: {
    ...COMMON,
    headers: "Mime-Version: 1.0 (1.0)\r\nX-Mailer: iPhone Mail (21F90)",
    attribution: "apple",
    p: '<div dir="auto">|</div>|<div><br></div>',
    quote: APPLE_QUOTE,
    boundary: "Apple-Mail-########-####-####-############",
  },
  ticket: {
    ...COMMON,
    headers: "MIME-Version: 1.0\r\nAuto-Submitted: auto-generated\r\nX-Auto-Response-Suppress: All",
    quote: '<hr><p style="color:#2b2e2f">{stamp}</p>|',
  },
  newsletter: { ...COMMON, headers: "MIME-Version: 1.0\r\nList-Unsubscribe: <https://news.example/u/48>", quote: CITE },
};

/** A conversation that reaches `desk@mail.localhost`: the raw mails, what each author newly wrote, and the facts. */
export function generateThread(seed: number): GeneratedThread {
  const r = randomness(seed);
  const pack = r.chance(0.6) ? ENGLISH : r.pick(OTHERS);
  const { s, locale } = pack;
  const gap = locale === "ja" ? "" : " ";
  const topic = r.pick(pack.topics);
  const main = r.letters(r.pick(topic.code));
  const long = r.chance(0.095);
  const count = long ? r.int(9, 25) : Math.min(25, 2 + Math.floor(-5.4 * Math.log(1 - r.next())));
  const goal = (r.int(13500, 24000) / count) | 0;
  const offset = r.int(-5, 9) * 60;
  const hours = `${offset < 0 ? "-" : "+"}${`${Math.abs(offset) / 60}`.padStart(2, "0")}00`;
  const ids = { ticket: r.int(10000, 99999), thread: r.hex(16) };
  const facts = new Set<string>();
  const used = new Set<string>();
  const recent: string[] = [];
  const orgs = r.shuffle(s("orgs").map((o) => ({ name: o.split("=")[0] ?? o, domain: o.split("=")[1] ?? slug(o) })));
  const chosen = r.shuffle(s("people")).slice(0, r.pick([2, 2, 2, 3, 3, 4]));
  const people = chosen.map((entry, i): Person => {
    const [name = "", id] = entry.split("=");
    const first = name.split(" ")[0] ?? name;
    const special = i === 0 && topic.kind !== "topic";
    const org = orgs[i % orgs.length] ?? { name: "Postbox", domain: "postbox" };
    const home = !special && r.chance(0.35) ? "postbox.example" : `${org.domain}.example`;
    const initial = slug(first).slice(0, 1) + slug(name.split(" ").at(-1) ?? "");
    const user = id ?? r.pick([slug(first), name.split(" ").map(slug).join("."), initial]);
    const usual = "gmail gmail gmail outlook outlook outlook apple apple thunderbird thunderbird plain mobile mobile";
    const client = (special ? topic.kind : r.pick(usual.split(" "))) as Client;
    const phone = r.letters("+49 30 55## ####");
    const office = r.chance(0.6) ? [r.pick(s("streets")).replace("#", "7"), phone] : [];
    const card = [name, r.pick(s("roles")), org.name, ...office];
    const sig = home === "postbox.example" ? (r.chance(0.4) ? [first] : []) : r.chance(0.75) ? card : [];
    const note = home !== "postbox.example" && r.chance(0.35) ? (s("disclaimer")[0] ?? "") : "";
    const addr = special ? `${topic.kind === "ticket" ? "support" : "news"}@${home}` : `${user}@${home}`;
    const shown = special ? (topic.kind === "ticket" ? `${name} (${org.name})` : org.name) : name;
    return { name: shown, first, addr, org: home, client, sig, note };
  });
  const names = s("people").map((p) => p.split(/[ =]/)[0] ?? "");
  const owner = names.find((n) => people.every((p) => p.first !== n)) ?? "Robin"; // who reads the desk's mailbox
  const show = (p: Person) => (/^[\w .'-]+$|[^\x20-\x7e]/.test(p.name) ? p.name : `"${p.name}"`);
  let now = Date.UTC(2025, r.int(0, 11), r.int(1, 28), r.int(6, 17), r.int(0, 59));

  const slots: Record<string, (p: Person) => string> = {
    c: () => main,
    code: () => (r.chance(0.35) ? main : r.letters(r.pick(topic.code))),
    ref: () => r.letters(r.pick(["REF-####-??", "#### ## ##", "??/####/25", "K-#######", "ID ########"])),
    money: () => {
      const [group = ",", point = "."] = (s("num")[0] ?? ",.").replace("_", " ");
      const whole = `${r.chance(0.5) ? r.int(12, 999) : r.int(1000, 48000)}`.replace(
        /(\d)(?=(\d{3})+$)/g,
        `$1${group}`,
      );
      return r
        .pick(s("money"))
        .replace(
          "%",
          locale === "ja" ? whole.padEnd(3, "0") : `${whole}${point}${r.letters("#")}${r.pick(["0", "5", "9"])}`,
        );
    },
    date: () => strftime(r.pick(s("date")), now + r.int(1, 70) * 86400000, locale),
    dt: () => strftime(r.pick(s("dt")), moment(), locale),
    time: () => strftime(r.pick(s("time")), moment(), locale),
    street: () => r.pick(s("streets")).replace("#", `${r.int(2, 180)}`),
    mail: (p) => `${r.pick(["billing", "office", "team", "returns", "info", "contact"])}${r.int(2, 99)}@${p.org}`,
    url: (p) =>
      r.letters(`https://${r.pick(["www", "portal", "my"])}.${p.org}/${r.pick(["t/", "docs/", "p=1&k="])}??##?#`),
  };
  const moment = () =>
    (Math.floor(now / 86400000) + r.int(1, 60)) * 86400000 + r.int(8, 20) * 3600000 + r.pick([0, 15, 30, 45]) * 60000;

  /** A sentence from one of these templates, unused in this thread where possible, and the facts it states. */
  function sentence(templates: string[], author: Person, whole = false): { s: string; facts: string[] } {
    for (let attempt = 0; ; attempt++) {
      const found: string[] = [];
      const template = r.pick(templates);
      if (attempt < 12 && recent.slice(-Math.max(1, templates.length >> 1)).includes(template)) continue;
      const flat = template.replace(/\[([^\]]*)\]/g, (_, list: string) => r.pick(split(list, "|")));
      const text = flat.replace(/\{(\w+)\}/g, (_, key: string) => {
        if (key === "name") return r.pick(names.filter((n) => n !== author.first));
        const value = slots[key]?.(author) ?? "";
        found.push(value);
        return value;
      });
      if (used.has(text) && attempt < 60) continue;
      used.add(text);
      recent.push(template);
      return { s: text, facts: whole ? [text] : found };
    }
  }

  function compose(author: Person, to: string, parent: Mail | undefined): { blocks: Block[]; own: string[] } {
    const own: string[] = [];
    const blocks: Block[] = [];
    const greeting = r.pick(s("greet"));
    if (greeting !== "-") blocks.push({ kind: "p", s: greeting.replace("{to}", to) });
    const take = (item: { s: string; facts: string[] }) => {
      own.push(...item.facts);
      return item.s;
    };
    const brief = author.client === "mobile" || r.chance(0.25);
    if (parent && !long && r.chance(0.1)) return { blocks: [...blocks, { kind: "p", s: r.pick(s("short")) }], own };
    const statements = () => take(sentence(r.chance(0.6) ? topic.fact : s("fact"), author));
    const question = () => take(sentence(r.chance(0.6) ? topic.ask : s("ask"), author, true));
    const filler = () => sentence(r.chance(0.25) ? topic.fill : s("fill"), author).s;
    const stated = Array.from({ length: parent ? r.pick([0, 1, 1, 1, 2, 2, 3]) : r.int(1, 3) }, statements);
    const asked = r.chance(0.5) ? [question()] : [];
    const target = long
      ? goal * (0.6 + r.next() * 0.9)
      : brief
        ? r.int(60, 200)
        : r.int(150, r.chance(0.25) ? 1500 : 600);
    const scale = locale === "ja" && !long ? 0.5 : 1;
    const size = () => [...fills, ...stated, ...asked].join(gap).length;
    const fills: string[] = [];
    while (size() < target * scale) fills.push(filler());

    if (parent && author.client !== "ticket" && parent.own.length > 1 && r.chance(0.14)) {
      const answers = [...r.shuffle([...stated, ...fills]), ...asked];
      blocks.push({ kind: "p", s: r.pick(s("inline")) });
      const share = Math.ceil(answers.length / parent.own.length);
      for (const [i, line] of parent.own.entries()) {
        blocks.push({ kind: "quote", s: line });
        const mine = answers.slice(i * share, (i + 1) * share);
        if (mine.length) blocks.push({ kind: "p", s: mine.join(gap) });
      }
      return { blocks, own };
    }
    const listed = stated.length > 1 && r.chance(0.25) ? stated.splice(0) : [];
    let rest = r.shuffle([...stated, ...fills]);
    if (asked[0]) rest.splice(r.chance(0.6) ? rest.length : r.int(0, rest.length), 0, asked[0]);
    while (rest.length) {
      const n = r.chance(0.65) ? r.int(1, 3) : r.int(4, 12);
      blocks.push({ kind: "p", s: rest.slice(0, n).join(gap) });
      rest = rest.slice(n);
    }
    const extra: Block[] = [];
    if (listed.length) extra.push({ kind: "p", s: r.pick(s("listintro")) }, { kind: "list", items: listed });
    if (r.chance(author.client === "newsletter" ? 0.5 : 0.09)) {
      const plan = r.chance(0.4);
      const labels = r.shuffle(s(plan ? "stops" : "items")).slice(0, r.int(2, 5));
      const rows = labels.map((label) =>
        plan
          ? [label, slots.date?.(author) ?? "", slots.time?.(author) ?? ""]
          : [label, r.letters("A-#####"), `${r.int(1, 12)}`, slots.money?.(author) ?? ""],
      );
      for (const row of r.shuffle(rows).slice(0, 2)) own.push(row[plan ? 1 : r.pick([1, 3])] ?? "");
      const head = (s(plan ? "cols2" : "cols1")[0] ?? "").split("|").map((c) => c.trim());
      extra.push({ kind: "p", s: r.pick(s("tabintro")) }, { kind: "table", rows: [head, ...rows] });
    }
    blocks.splice(r.int(Math.min(1, blocks.length), blocks.length), 0, ...extra);
    return { blocks, own };
  }

  const mails: Mail[] = [];
  const raw: string[] = [];
  const texts: string[] = [];
  const subject = r.pick(topic.subject).replace("{c}", main);
  for (let n = 0; n < count; n++) {
    const parent = n === 0 ? undefined : mails[r.chance(0.9) ? n - 1 : r.int(0, n - 1)];
    const others = people.filter((p) => p.addr !== mails.at(-1)?.from.addr);
    const from = n === 0 ? (people[0] as Person) : r.pick(others.length && r.chance(0.85) ? others : people);
    // A newsletter's sender answers by hand, from an ordinary mail program.
    const client = from.client === "newsletter" && n > 0 ? "gmail" : from.client;
    const author = { ...from, client };
    if (n > 0) now += r.pick([r.int(4, 90), r.int(60, 900), r.int(900, 6000)]) * 60000;
    const to = parent && parent.from.addr !== from.addr ? parent.from.first : owner;
    const { blocks, own } = compose(author, to, parent);
    const program = PROGRAMS[client];
    const hard = client === "plain";
    const keep = (line: string) =>
      own.reduce((t, f) => (f.length <= 72 ? t.replaceAll(f, () => f.replaceAll(" ", "\u0001")) : t), line);
    const fold = (line: string) => wrap(keep(line), 72).map((l) => l.replaceAll("\u0001", " "));
    const logical = blocks.flatMap((b) => {
      if (b.kind === "table") return b.rows.map((row) => row.join("\t"));
      return b.kind === "list" ? b.items : b.kind === "p" ? [b.s] : [];
    });
    const fresh = hard ? logical.flatMap(fold) : logical;
    texts.push(fresh.join("\n"));
    for (const fact of own) if (fresh.some((line) => line.includes(fact))) facts.add(fact);

    const inline = blocks.some((b) => b.kind === "quote");
    const bold = own.find((f) => !/[@/?？]|か。/.test(f) && r.chance(0.15)) ?? "";
    const bullet = r.pick(["- ", "* ", "• "]);
    const local = now + offset * 60000;
    const idStyles: Record<string, string> = { gmail: "mail.gmail.example", outlook: "EURP193.PROD.outlook.example" };
    const id = `${client === "gmail" ? "CA" : ""}${r.hex(8)}-${r.hex(4)}-${r.hex(12)}@${idStyles[client] ?? from.org}`;
    const copies = people.filter((p) => p !== from);
    const receivers = [DESK, ...copies.map((p) => `${encodeWord(show(p))} <${p.addr}>`)];

    // How this author's program introduces the mail below.
    const words = r.chance(0.85) ? s : ENGLISH.s;
    const tongue = words === s ? locale : "en-GB";
    const [sentAt, who] = [parent ? parent.at + offset * 60000 : 0, parent?.from ?? from];
    const fillIn = (t: string) => strftime(t, sentAt, tongue).replace("{N}", who.name).replace("{A}", who.addr);
    const attribution = fillIn(words(program.attribution)[0] ?? "").replace(
      / (?=[AP]M )/,
      client === "gmail" ? "\u202f" : " ",
    );
    const values = [`${who.name} <${who.addr}>`, fillIn(words("sent")[0] ?? ""), parent?.to ?? "", subject];
    const header = words("labels").map((label, i) => [label, values[i] ?? ""] as const);
    const stampOfQuote = `${who.name}, ${strftime("%b %e, %Y, %H:%M", sentAt, "en-US")}`;

    // The text part: new words, signature, then the mail below.
    const link = (t: string) => {
      if (client === "gmail" && bold) return t.replace(bold, "*$&*");
      if (client !== "outlook") return t;
      return t.replace(/https:\S+(?<![.,])/g, "$&<$&>").replace(/(?<![\w/])[\w.]+@[\w.]+\w/g, "$&<mailto:$&>");
    };
    const soft = (line: string): string[] => {
      if (line.startsWith(">") || line === "-- ") return [line];
      if (client === "gmail") return wrap(line, 76);
      if (client !== "thunderbird") return hard ? fold(line) : [line];
      return wrap(line, 72, " ").map((l) => (/^( |From )/.test(l) ? ` ${l}` : l));
    };
    const quoteLines = (lines: string[]) =>
      lines.flatMap((l) =>
        l.startsWith(">") ? [`>${client === "gmail" ? " " : ""}${l}`] : wrap(l, 74).map((w) => `> ${w}`.trimEnd()),
      );
    const body = blocks.flatMap((b): string[] => {
      if (b.kind === "p") return [link(b.s), ""];
      if (b.kind === "quote") return [...quoteLines([b.s]), ""];
      if (b.kind === "list") return [...b.items.map((item) => bullet + link(item)), ""];
      const widths = (b.rows[0] ?? []).map((_, i) => Math.max(...b.rows.map((row) => (row[i] ?? "").length)) + 2);
      const cell = (c: string, i: number) => (hard ? c.padEnd(widths[i] ?? 0) : c);
      return [
        ...b.rows.map((row) =>
          row
            .map(cell)
            .join(hard ? "" : "\t")
            .trimEnd(),
        ),
        "",
      ];
    });
    const closing = client === "mobile" || r.chance(0.15) ? [] : [r.pick(s("close")), from.first, ""];
    const delimiter = client === "plain" || program.sig ? ["-- "] : [];
    const sent = client === "mobile" ? [r.pick(s("mobile")), ""] : [];
    const note = client === "newsletter" ? (s("footer")[0] ?? "") : from.note;
    const footer = note ? [note, ""] : [];
    const card = from.sig.length && client !== "mobile" ? [...delimiter, ...from.sig, ""] : sent;
    const sign = client === "newsletter" ? [] : [...closing, ...card];
    const notice = (s("tickethead")[0] ?? "").replace("{id}", `${ids.ticket}`);
    const above = client === "ticket" ? ["##- Please type your reply above this line -##", "", notice, ""] : [];
    const noteLast = r.chance(0.5);
    const quotes = parent && !inline && (n === 1 || r.chance(0.85));
    const rule = r.chance(0.5) ? `-----${words("original")[0]}-----` : "________________________________";
    const lead: Record<string, string[]> = {
      outlook: [rule, ...header.map(([label, value]) => `${label}: ${value}`), ""],
      ticket: ["--------------------------------", stampOfQuote, ""],
      gmail: [attribution, ""],
    };
    const below = parent?.text ?? [];
    const levels = client === "outlook" || client === "ticket" ? below : quoteLines(below);
    const quoted = quotes ? [...(lead[client] ?? [attribution]), ...levels] : [];
    const intro = inline ? [attribution, ""] : [];
    const tail = noteLast ? [...sign, ...quoted, "", ...footer] : [...sign, ...footer, ...quoted];
    const text = [...above, ...intro, ...body, ...tail];

    // The HTML part, in the markup of the program.
    const rich = (t: string) => {
      const marked = escapeHtml(t)
        .replace(/https:\/\/[^\s、。]+(?<![.,])/g, '<a href="$&">$&</a>')
        .replace(/(?<![\w/.])[\w.]+@[\w.]+\w/g, '<a href="mailto:$&">$&</a>');
      return bold && !marked.includes("<a ") ? marked.replace(escapeHtml(bold), "<b>$&</b>") : marked;
    };
    const [open = "", close = "", blank = ""] = program.p.split("|");
    const line = (t: string) => open + t + close;
    const cell = (c: string) =>
      `<td style="border:solid #ccc 1px">${client === "outlook" ? line(rich(c)) : rich(c)}</td>`;
    const freshHtml = blocks.flatMap((b) => {
      if (b.kind === "p") return [line(rich(b.s)), blank];
      if (b.kind === "quote") return [`<blockquote type="cite">${line(escapeHtml(b.s))}</blockquote>`];
      if (b.kind === "list") return ["<ul>", ...b.items.map((item) => `<li>${rich(item)}</li>`), "</ul>"];
      const rows = b.rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`);
      return ['<table cellspacing="0"><tbody>', ...rows, "</tbody></table>", blank];
    });
    const signHtml = sign.flatMap((l, i) => {
      if (!l || l === "-- ") return [];
      return i < closing.length || sent.includes(l) ? line(escapeHtml(l)) : `${escapeHtml(l)}<br>`;
    });
    const cut = closing.length ? 2 : 0;
    const signed = [
      ...signHtml.slice(0, cut),
      ...(signHtml.length > cut ? [program.sig ?? "<div>", ...signHtml.slice(cut), "</div>"] : []),
    ];
    const noteHtml = footer[0] ? [`<p style="font-size:8pt;color:gray">${escapeHtml(footer[0])}</p>`] : [];
    const labelled = header.map(([label, value]) => `<b>${label}:</b> ${escapeHtml(value)}`).join("<br>\n");
    const cite = escapeHtml(attribution);
    const shell = program.quote.replace("{id}", parent?.id ?? "").replace("{stamp}", () => escapeHtml(stampOfQuote));
    const [before = "", after = ""] = shell
      .replace("{cite}", () => cite)
      .replace("{labels}", () => labelled)
      .split("|");
    const quotedHtml = quotes && parent ? [before, parent.html, after] : [];
    const introHtml = inline ? [`<div class="moz-cite-prefix">${cite}<br></div>`] : [];
    const aboveHtml = above.filter(Boolean).map((l) => `<p style="color:#b5b5b5">${escapeHtml(l)}</p>`);
    const tailHtml = noteLast ? [...signed, ...quotedHtml, ...noteHtml] : [...signed, ...noteHtml, ...quotedHtml];
    const inner = [...aboveHtml, ...introHtml, ...freshHtml, ...tailHtml].filter(Boolean).join("\n");
    const wide = `<table role="presentation" width="600"><tr><td>${inner}</td></tr></table>`;
    const html = client === "newsletter" ? wide : client === "gmail" ? `<div dir="ltr">${inner}</div>` : inner;
    const only = hard || (client === "thunderbird" && r.chance(0.3));
    const mail: Mail = {
      from: author,
      at: now,
      id,
      refs: parent ? [...parent.refs, parent.id] : [],
      to: [DESK, ...copies.map((p) => `${p.name} <${p.addr}>`)].join("; "),
      text,
      own: logical.filter((l) => !l.includes("\t")),
      html: only ? text.map(escapeHtml).join("<br>\n") : inner,
    };
    mails.push(mail);

    // The message itself.
    const stamp = strftime(`%a, %d %b %Y %H:%M:${r.letters("#").padStart(2, "0")} ${hours}`, local, "en-US");
    const relay = (by: string) =>
      `Received: from mx.${from.org} (mx.${from.org} [192.0.2.${r.int(1, 254)}])\r\n` +
      `\tby ${by} with ESMTPS id ${r.hex(10)}\r\n\tfor <${DESK}>; ${stamp}`;
    const dkim =
      `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${from.org}; s=s1;\r\n\th=from:to:subject:date;` +
      ` bh=${Buffer.from(r.hex(32)).toString("base64")};\r\n\tb=${r.hex(64)}\r\n\t ${r.hex(64)}`;
    const chain = [...mail.refs.slice(0, 1), ...mail.refs.slice(1).slice(-12)];
    const prefix = parent ? `${r.chance(0.7) ? words("re")[0] : r.pick(words("re"))} ` : "";
    const headers = [
      ...(r.chance(0.8) ? [relay("mail.localhost"), ...(r.chance(0.4) ? [relay(`out.${from.org}`)] : [])] : []),
      ...(r.chance(0.6) ? [dkim] : []),
      `From: ${encodeWord(show(from))} <${from.addr}>`,
      `To: ${receivers.join(",\r\n ")}`,
      `Subject: ${encodeWord(`${prefix}${client === "ticket" ? `[#${ids.ticket}] ` : ""}${subject}`)}`,
      `Date: ${stamp}`,
      `Message-ID: <${id}>`,
      ...(parent ? [`In-Reply-To: <${parent.id}>`, `References: ${chain.map((c) => `<${c}>`).join("\r\n ")}`] : []),
      program.headers,
      ...(client === "outlook" ? [`Thread-Topic: ${encodeWord(subject)}`, `Thread-Index: ${ids.thread}`] : []),
    ];
    const textPart = part("text/plain", text.flatMap(soft), client, r);
    const boundary = r.letters(program.boundary);
    const folds = client === "outlook" || client === "thunderbird";
    const meta = '<html><head><meta http-equiv="Content-Type" content="text/html"></head>';
    const htmlLines = `${meta}\n<body>${html}</body></html>`.split("\n");
    const htmlPart = () => part("text/html", folds ? htmlLines.flatMap((l) => wrap(l, 78)) : htmlLines, client, r);
    const alternative = () =>
      `Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n\r\n` +
      `--${boundary}\r\n${textPart}\r\n--${boundary}\r\n${htmlPart()}\r\n--${boundary}--\r\n`;
    raw.push(`${headers.join("\r\n")}\r\n${only ? textPart : alternative()}`);
  }
  return { raw, texts, facts: [...facts] };
}
