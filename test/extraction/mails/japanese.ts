// Mails in Japanese.
import type { Mail } from "./mail.ts";

export const japanese: Mail[] = [
  {
    name: "ja: 銀行ワンタイムパスワード",
    from: "info@minatobank.example",
    subject: "【みなと銀行】ワンタイムパスワードのお知らせ",
    text: `お客さま

2026年4月10日 13時05分に受け付けた振込（50,000円）のワンタイムパスワードは次のとおりです。

ワンタイムパスワード：58201937

有効期限：10分間
お問い合わせ：0120-123-456（平日9:00〜17:00）`,
    otp: "58201937",
    link: null,
  },
  {
    name: "ja: 認証コード",
    from: "noreply@fleamarket.example",
    subject: "認証コードのお知らせ",
    html: `<p>以下の認証コードを入力してください。</p><p style="font-size:24px">６０２１１８</p><p>このコードは30分間有効です。</p><p>〒106-6118 東京都港区六本木6-10-1</p>`,
    otp: "602118",
    link: null,
  },
  {
    name: "ja: メールアドレス確認",
    from: "no-reply@ryori.example",
    subject: "【りょうり】メールアドレスの確認",
    text: `会員登録ありがとうございます。
下記URLをクリックして、本登録を完了してください。

https://ryori.example/signup/c7e1249ffc03eb9ded908c236bd1996d

※URLの有効期限は24時間です。
退会はこちら https://ryori.example/taikai`,
    otp: null,
    link: "https://ryori.example/signup/c7e1249ffc03eb9ded908c236bd1996d",
  },
  {
    name: "ja: パスワード再設定",
    from: "support@densha.example",
    subject: "パスワード再設定のご案内",
    html: `<p>パスワードの再設定を受け付けました。</p><p><a href="https://id.densha.example/pw/1a79a4d6">パスワードを再設定する</a></p><p><a href="https://densha.example/faq">よくあるご質問</a></p>`,
    otp: null,
    link: "https://id.densha.example/pw/1a79a4d6",
  },
  {
    name: "ja: 確認コードが文頭",
    from: "security@tegami.example",
    subject: "7719 が確認コードです",
    text: "ログインを完了するには、確認コード 7719 を入力してください。心当たりがない場合は、このメールを破棄してください。",
    otp: "7719",
    link: null,
  },
  {
    name: "ja: ログイン用リンク",
    from: "login@nikki.example",
    subject: "ログイン用リンク",
    html: `<p>下のボタンを押すとログインできます。</p><a href="https://nikki.example/l/9bf31c7f">ログインする</a><p><a href="https://nikki.example">にっきトップページ</a></p>`,
    otp: null,
    link: "https://nikki.example/l/9bf31c7f",
  },
  {
    name: "ja: 役所の暗証番号",
    from: "noreply@shiyakusho.example",
    subject: "電子申請システム 仮登録",
    text: "受付番号：202600418833\n確認番号：41 80 52\n上記の確認番号を画面に入力し、本人確認を完了してください。",
    otp: "418052",
    link: null,
  },
  {
    name: "ja: 注文確認",
    from: "order@kagu.example",
    subject: "ご注文ありがとうございます（注文番号：20260418-0093）",
    text: "注文番号：20260418-0093\n合計：12,800円（税込）\nお届け予定日：4月22日 18:00〜20:00\nお届け先：〒150-0001\n電話：03-1234-5678\nhttps://kagu.example/orders/0093",
    otp: null,
    link: null,
  },
  {
    name: "ja: クーポン",
    from: "mail@cafe.example",
    subject: "300円引きクーポンコード HARU300",
    text: "クーポンコード：HARU300\n有効期限：2026年5月31日\n配信停止はこちら https://cafe.example/stop",
    otp: null,
    link: null,
  },
  {
    name: "ja: 荷物のお届け",
    from: "mail@takkyubin.example",
    subject: "お荷物お届けのお知らせ",
    text: "送り状番号 4821-9137-7210\nお届け予定 5月12日（火）14時〜16時\n日時変更 https://takkyubin.example/r?no=482191377210",
    otp: null,
    link: null,
  },
];
