// Replies in Polish, Turkish, Russian, Chinese, Japanese and Korean.
import type { ReplySample } from "./sample.ts";

export const eastern: ReplySample[] = [
  {
    name: "Gmail, Polish",
    text: "Tak.\n\npon., 1 sty 2024 o 10:00 Anna Nowak <anna@example.com> napisał(a):\n\n> Wtorek?\n",
    expected: "Tak.",
  },
  {
    name: "Thunderbird, Polish",
    text: "W dniu 01.01.2024 o 10:00, Anna Nowak pisze:\n> Gotowe?\n\nGotowe.\n",
    expected: "Gotowe.",
  },
  {
    name: "Outlook, Polish",
    text: "Zrobione.\n\nOd: Anna Nowak <anna@example.com>\nWysłano: poniedziałek, 1 stycznia 2024 10:00\nDo: Jan\nTemat: RE: faktura\n\nProszę.\n",
    expected: "Zrobione.",
  },
  {
    name: "Apple Mail, Polish",
    text: "Tak.\n\nWysłane z iPhone'a\n\n> Wiadomość napisana przez Anna <anna@example.com> w dniu 01.01.2024, o godz. 10:00:\n> \n> Gdzie?\n",
    expected: "Tak.",
  },
  {
    name: "Gmail, Turkish",
    text: "Olur.\n\nAyşe Yılmaz <ayse@example.com>, 1 Oca 2024 Pzt, 10:00 tarihinde şunu yazdı:\n\n> Salı?\n",
    expected: "Olur.",
  },
  {
    name: "Gmail, Turkish, wrapped",
    text: "Olur.\n\nAyşe Yılmaz <ayse@example.com>, 1 Oca 2024 Pzt, 10:00 tarihinde\nşunları yazdı:\n\n> Salı?\n",
    expected: "Olur.",
  },
  {
    name: "Apple Mail, Turkish",
    text: "Geliyorum\n\niPhone'umdan gönderildi\n\n> Ayşe <ayse@example.com> şunları yazdı (1 Oca 2024 10:00):\n> \n> Nerede?\n",
    expected: "Geliyorum",
  },
  {
    name: "Outlook, Turkish",
    text: "Tamam.\n\nKimden: Ayşe <ayse@example.com>\nGönderildi: 1 Ocak 2024 Pazartesi 10:00\nKime: Ali\nKonu: fatura\n\nLütfen.\n",
    expected: "Tamam.",
  },
  {
    name: "Gmail, Russian",
    text: "Да.\n\nпн, 1 янв. 2024 г. в 10:00, Анна Иванова <anna@example.com>:\n\n> Вторник?\n",
    expected: "Да.",
  },
  {
    name: "Thunderbird, Russian",
    text: "01.01.2024 10:00, Анна Иванова пишет:\n> Готово?\n\nГотово.\n",
    expected: "Готово.",
  },
  {
    name: "iPhone, Russian",
    text: "Еду\n\nОтправлено с iPhone\n\n> 1 янв. 2024 г., в 10:00, Анна <anna@example.com> написал(а):\n> \n> Где ты?\n",
    expected: "Еду",
  },
  {
    name: "Outlook, Russian",
    text: "Сделано.\n\nОт: Анна <anna@example.com>\nОтправлено: 1 января 2024 г. 10:00\nКому: Иван\nТема: счёт\n\nПожалуйста.\n",
    expected: "Сделано.",
  },
  {
    name: "Yandex, Russian, no marks",
    text: 'Сделано.\n\n01.01.2024, 10:00, "Анна" <anna@example.com>:\n\nПожалуйста.\n',
    expected: "Сделано.",
  },
  {
    name: "Gmail, Chinese",
    text: "好的。\n\n王芳 <wang@example.com> 于2024年1月1日周一 10:00写道：\n\n> 星期二？\n",
    expected: "好的。",
  },
  {
    name: "Apple Mail, Chinese",
    text: "在路上\n\n发自我的 iPhone\n\n> 在 2024年1月1日，10:00，王芳 <wang@example.com> 写道：\n> \n> 你在哪\n",
    expected: "在路上",
  },
  {
    name: "Outlook, Chinese",
    text: "完成。\n\n发件人: 王芳 <wang@example.com>\n发送时间: 2024年1月1日 10:00\n收件人: 李\n主题: 发票\n\n请处理。\n",
    expected: "完成。",
  },
  {
    name: "QQ, Chinese",
    text: '完成。\n\n------------------ 原始邮件 ------------------\n发件人: "王芳";\n\n请处理。\n',
    expected: "完成。",
  },
  {
    name: "163, Chinese, no marks",
    text: '完成。\n\n在 2024-01-01 10:00:00，"王芳" <wang@163.com> 写道：\n\n请处理。\n',
    expected: "完成。",
  },
  {
    name: "Gmail, Chinese, traditional",
    text: "好。\n\n王芳 <wang@example.com> 於 2024年1月1日 週一 上午10:00寫道：\n\n> 星期二？\n",
    expected: "好。",
  },
  {
    name: "Gmail, Japanese",
    text: "了解です。\n\n2024年1月1日(月) 10:00 山田花子 <hanako@example.com>:\n\n> 火曜日は？\n",
    expected: "了解です。",
  },
  {
    name: "iPhone, Japanese",
    text: "向かっています\n\niPhoneから送信\n\n> 2024/01/01 10:00、山田花子 <hanako@example.com>のメール:\n> \n> どこ？\n",
    expected: "向かっています",
  },
  {
    name: "Thunderbird, Japanese",
    text: "2024/01/01 10:00 に 山田花子 さんは書きました:\n> 終わった？\n\n終わりました。\n",
    expected: "終わりました。",
  },
  {
    name: "Outlook, Japanese",
    text: "完了しました。\n\n差出人: 山田 <hanako@example.com>\n送信日時: 2024年1月1日 10:00\n宛先: 佐藤\n件名: 請求書\n\nお願いします。\n",
    expected: "完了しました。",
  },
  {
    name: "Gmail, Korean",
    text: "네.\n\n2024년 1월 1일 (월) 오전 10:00, 김영희 <kim@example.com>님이 작성:\n\n> 화요일?\n",
    expected: "네.",
  },
  {
    name: "iPhone, Korean",
    text: "가는 중\n\n나의 iPhone에서 보냄\n\n> 2024. 1. 1. 오전 10:00, 김영희 <kim@example.com> 작성:\n> \n> 어디?\n",
    expected: "가는 중",
  },
  {
    name: "Outlook, Korean",
    text: "완료.\n\n보낸 사람: 김영희 <kim@example.com>\n보낸 날짜: 2024년 1월 1일 월요일 오전 10:00\n받는 사람: 이\n제목: 청구서\n\n부탁\n",
    expected: "완료.",
  },
];
