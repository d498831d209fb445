// Mails in Russian.
import type { Mail } from "./mail.ts";

export const russian: Mail[] = [
  {
    name: "ru: банк",
    from: "noreply@volgabank.example",
    subject: "Код подтверждения операции",
    text: `Здравствуйте, Анна Сергеевна!

Перевод 15 000,00 ₽ на карту *4417. Код подтверждения: 580 237

Никому не сообщайте код. Если перевод делали не вы, позвоните 8 800 555-55-50 (круглосуточно).`,
    otp: "580237",
    link: null,
  },
  {
    name: "ru: код для входа",
    from: "no-reply@vmeste.example",
    subject: "Ваш код для входа",
    html: `<p>Здравствуйте!</p><p>Ваш код для входа в аккаунт:</p><table><tr><td><b>44091</b></td></tr></table><p>Код действует 10 минут. 14.02.2026 09:41 МСК, IP 203.0.113.5</p><p>© 2006–2026 ООО «Вместе», 191024, Санкт-Петербург</p>`,
    otp: "44091",
    link: null,
  },
  {
    name: "ru: подтвердить почту",
    from: "info@knigomir.example",
    subject: "Подтвердите адрес электронной почты",
    html: `<p>Для завершения регистрации нажмите кнопку.</p><a href="https://knigomir.example/reg/c/8277e0910d">Подтвердить почту</a><p><a href="https://knigomir.example/help">Помощь</a> <a href="https://knigomir.example/unsub/8277">Отписаться</a> <a href="https://vk.com/knigomir">ВКонтакте</a></p>`,
    otp: null,
    link: "https://knigomir.example/reg/c/8277e0910d",
  },
  {
    name: "ru: восстановление пароля",
    from: "support@magazin.example",
    subject: "Восстановление пароля",
    text: "Чтобы задать новый пароль, перейдите по ссылке:\nhttps://magazin.example/auth/forgot/?USER_CHECKWORD=af12&lang=ru\n\nСсылка действительна в течение суток.",
    otp: null,
    link: "https://magazin.example/auth/forgot/?USER_CHECKWORD=af12&lang=ru",
  },
  {
    name: "ru: госуслуги",
    from: "no-reply@uslugi.example",
    subject: "Одноразовый пароль",
    text: "Ваш одноразовый пароль — 8120. Заявление № 2291884720 от 05.03.2026.",
    otp: "8120",
    link: null,
  },
  {
    name: "ru: код в начале темы",
    from: "security@poisk.example",
    subject: "732 018 — ваш код подтверждения",
    text: "Введите код 732 018, чтобы привязать адрес.\n\nЕсли вы не запрашивали код, просто проигнорируйте письмо.",
    otp: "732018",
    link: null,
  },
  {
    name: "ru: приглашение",
    from: "notify@doska.example",
    subject: "Вас пригласили в команду «Север»",
    html: `<p>Олег Петров приглашает вас в команду «Север» (8 участников).</p><a href="https://doska.example/j/5tGh">Принять приглашение</a><p><a href="https://doska.example">О сервисе</a></p>`,
    otp: null,
    link: "https://doska.example/j/5tGh",
  },
  {
    name: "ru: чек",
    from: "chek@ofd.example",
    subject: "Кассовый чек № 20418",
    text: "ФН 9960440302731844 ФД 20418 ФП 1182093377\nИНН 7701234567\nИтог 1 284,50 ₽\n16.04.2026 19:22\nhttps://ofd.example/check/20418",
    otp: null,
    link: null,
  },
  {
    name: "ru: промокод",
    from: "news@edadom.example",
    subject: "Промокод на 500 ₽ внутри",
    text: "Ваш промокод: VESNA500. Действует до 31.05.2026 на заказ от 1500 ₽. https://edadom.example/promo",
    otp: null,
    link: null,
  },
  {
    name: "ru: посылка",
    from: "track@pochta.example",
    subject: "Посылка прибыла в отделение 190000",
    text: "Трек-номер 80084271923847. Отделение 190000, часы работы 08:00–20:00. Хранение до 22.06.2026. Отследить: https://pochta.example/t/80084271923847",
    otp: null,
    link: null,
  },
];
