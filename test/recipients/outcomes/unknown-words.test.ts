// The words without a code in which servers say that an address does not exist, and words about a mailbox that say something else.
import { expect, test } from "vitest";
import { isAddressAtFault } from "#server/recipients/outcomes/codes.ts";

const suppresses = (reason: string) =>
  isAddressAtFault({ smtp_code: null, enhanced_code: null, reason }, "ada@elsewhere.example");

const QUOTED = "host mail.elsewhere.example[192.0.2.8] said: ";

test.each([
  [
    "Portuguese in ASCII, of a server that is quoted",
    `${QUOTED}Utilizador nao encontrado (in reply to RCPT TO command)`,
  ],
  ["German in ASCII", "Empfaengeradresse unbekannt"],
  ["Slovak in ASCII", "Pouzivatel neexistuje"],
  ["French, with the address named as such", "Adresse du destinataire inexistante dans notre système."],
  ["Vietnamese, with the address named as such", "Địa chỉ thư không tồn tại trong hệ thống"],
  ["English, of a directory", "Recipient kim (ada@elsewhere.example) is not listed in the Staff Directory"],
  ["Hungarian, with the cause and a domain", "Oka: az elsewhere.example tartományban ismeretlen felhasználó."],
  ["Polish, with an error and a domain", "Błąd: w domenie elsewhere.example nie ma takiego użytkownika"],
  ["Romanian", "Căsuța nu a fost găsită"],
  ["Portuguese, of an address", "Endereço de e-mail inexistente"],
  ["Greek", "Άγνωστη θυρίδα"],
  ["Danish, of an account that was closed", "Mailkontoen er nedlagt."],
  ["Spanish, of an account that was closed", "Causa: la cuenta de correo ha sido dada de baja"],
  ["Russian, of a mailbox that was closed", "Ящик удалён"],
  ["Chinese, of a mailbox that was closed", "该用户已注销"],
  ["German", "Der Empfänger ada@elsewhere.example ist hier unbekannt."],
  ["German", "Kein solches Postfach auf diesem Server"],
  ["French", "Le destinataire est introuvable."],
  ["French", "Aucune boîte de ce nom"],
  ["Spanish", "El buzón indicado es inexistente"],
  ["Spanish", "Destinatario desconocido"],
  ["Portuguese", "A caixa postal não foi encontrada"],
  ["Portuguese", "Não existe nenhum usuário com este nome"],
  ["Italian", "Casella ada@elsewhere.example inesistente"],
  ["Italian", "Nessun utente con questo nome"],
  ["Dutch", "De postbus is niet gevonden"],
  ["Dutch", "Er is geen ontvanger met die naam"],
  ["Swedish", "Mottagaren finns inte här"],
  ["Danish", "Postkassen findes ikke"],
  ["Norwegian", "Ukjent mottaker"],
  ["Finnish", "Postilaatikkoa ei löydy"],
  ["Hungarian", "A postafiók nem létezik"],
  ["Hungarian", "Ismeretlen címzett"],
  ["Polish", "Nie ma takiego użytkownika"],
  ["Polish", "Skrzynka nie została znaleziona"],
  ["Czech", "Schránka nebyla nalezena"],
  ["Slovak", "Neznámy príjemca"],
  ["Croatian", "Sandučić ne postoji"],
  ["Romanian", "Căsuța nu există"],
  ["Greek", "Ο παραλήπτης είναι άγνωστος"],
  ["Russian", "Почтовый ящик не зарегистрирован"],
  ["Russian", "Неизвестный получатель"],
  ["Ukrainian", "Скриньку не знайдено"],
  ["Bulgarian", "Няма такъв получател"],
  ["Turkish", "Alıcı bulunamadı"],
  ["Turkish", "Böyle bir posta kutusu bulunmamaktadır"],
  ["Arabic", "المستلم غير معروف لدينا"],
  ["Persian", "صندوق پستی یافت نشد"],
  ["Hebrew", "אין תיבה בשם הזה"],
  ["Hindi", "यह मेलबॉक्स मौजूद नहीं है"],
  ["Indonesian", "Kotak surat tidak ditemukan"],
  ["Vietnamese", "Hộp thư này không tồn tại"],
  ["Thai", "ระบบไม่พบกล่องจดหมายนี้"],
  ["Japanese", "指定された受信者は存在しません"],
  ["Korean", "받는 사람을 찾을 수 없습니다"],
  ["Chinese", "该邮箱不存在"],
  ["Chinese", "本系统没有此用户"],
])("%s: %s", (_, reason) => {
  expect(suppresses(reason)).toBe(true);
});

test.each([
  ["German", "Das Postfach des Empfängers ist voll."],
  ["French", "La boîte du destinataire est pleine."],
  ["Spanish", "El usuario no acepta correo de este remitente desconocido"],
  ["Italian", "La casella ha superato lo spazio. Motivo sconosciuto"],
  ["Swedish", "Mottagaren tar inte emot bilagor"],
  ["Hungarian", "A postafiók megtelt"],
  ["Polish", "Skrzynka odbiorcy jest pełna"],
  ["Russian", "Ящик получателя переполнен"],
  ["Turkish", "Kullanıcının yetkisi yok"],
  ["Vietnamese", "Người dùng không có quyền"],
  ["Japanese", "受信者の容量を超えました"],
  ["Korean", "사용자에게 권한이 없습니다"],
  ["Chinese", "用户没有权限"],
])("%s, of a mailbox that exists: %s", (_, reason) => {
  expect(suppresses(reason)).toBe(false);
});

test.each([
  ["Dutch, a closed account of a customer", "Uw account is opgeheven"],
  ["Portuguese, a message that was deleted", "A mensagem do usuário foi eliminada"],
  ["German, full", "Die Ablage des Empfängers fasst nichts mehr: kein Speicher gefunden"],
  ["German, a certificate", "Zertifikat des Benutzers nicht gefunden"],
  ["French, a file", "Le destinataire a un disque introuvable"],
  ["Spanish, a domain of the sender", "Ningún cliente puede llegar al buzón"],
  ["Italian, a right", "Nessun diritto per la casella"],
  ["Finnish, space", "Postilaatikko: levyä ei löytynyt"],
  ["Hungarian, a key", "A címzett kulcsa nem található"],
  ["Polish, a server", "Odbiorca: serwer nie istnieje"],
  ["Greek, an error", "Άγνωστη βλάβη για τον χρήστη"],
  ["Russian, a fault", "Неизвестная причина, ящик занят"],
  ["Turkish, a certificate", "Alıcı sertifikası bulunamadı"],
  ["Arabic, space", "لا يوجد متسع في صندوق البريد"],
  ["Persian, space", "در صندوق پستی جایی وجود ندارد"],
  ["Hebrew, space", "אין די אחסון אצל הנמען"],
  ["Indonesian, memory", "Penerima tidak ada memori"],
  ["Vietnamese, space", "Hộp thư không có bộ nhớ"],
  ["Thai, a certificate", "ไม่พบใบรับรองของผู้รับ"],
  ["Japanese, a certificate", "受信者の証明書が見つかりません"],
  ["Korean, a certificate", "수신자 인증서를 찾을 수 없습니다"],
  ["Chinese, a route", "找不到用户的路由"],
  ["Chinese, a full mailbox beside it", "此邮箱超出配额，用户不存在"],
])("%s, is no missing mailbox: %s", (_, reason) => {
  expect(suppresses(reason)).toBe(false);
});

test("under the code of a policy, words in other languages suppress nothing", () => {
  const reason = "550 5.7.1 Empfänger unbekannt";
  const codes = { smtp_code: 550, enhanced_code: "5.7.1" };
  expect(isAddressAtFault({ ...codes, reason }, "ada@elsewhere.example")).toBe(false);
});

const bare = (reason: string) =>
  isAddressAtFault({ smtp_code: 550, enhanced_code: null, reason: `550 ${reason}` }, "ada@elsewhere.example");

test.each([
  ["Croatian, an error of a server", "Greška: poslužitelj za ada@elsewhere.example nije pronađen"],
  ["French, space", "La boîte de ada@elsewhere.example n'a plus d'espace"],
  ["Czech in ASCII, full", "Schranka ada@elsewhere.example je plna"],
  ["Turkish, a quota", "ada@elsewhere.example: kota doldu"],
  ["Spanish, an attachment", "El usuario no recibe ese archivo adjunto"],
])("%s, under a bare 550 about the recipient: %s", (_, reason) => {
  expect(bare(reason)).toBe(false);
});

test("a bare 550 about the recipient suppresses, in any language", () => {
  expect(bare("Destinatario ada@elsewhere.example rifiutato")).toBe(true);
});
