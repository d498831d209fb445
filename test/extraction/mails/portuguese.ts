// Mails in Portuguese, of Brazil and of Portugal.
import type { Mail } from "./mail.ts";

export const portuguese: Mail[] = [
  {
    name: "pt: banco com Pix",
    from: "seguranca@bancoazul.example",
    subject: "Seu código de segurança",
    text: `Olá, Rafael

Use o código 290417 para autorizar o Pix de R$ 1.580,00 para MARIA S. (CPF ***.482.913-**).

O código vale por 5 minutos. Dúvidas: 0800 729 0001 ou 4004-0001.`,
    otp: "290417",
    link: null,
  },
  {
    name: "pt: código de verificação, célula por dígito",
    from: "nao-responda@entregas.example",
    subject: "Confirme seu e-mail",
    html: `<p>Seu código de verificação é:</p><table><tr><td>7</td><td>1</td><td>9</td><td>0</td><td>5</td><td>2</td></tr></table><p>Entregas Brasil Ltda. CNPJ 12.345.678/0001-95. Rua das Flores, 120, CEP 01310-100</p>`,
    otp: "719052",
    link: null,
  },
  {
    name: "pt: confirmar e-mail",
    from: "ola@aprenda.example",
    subject: "Confirme o seu endereço de e-mail",
    html: `<p>Falta só um passo!</p><a href="https://aprenda.example/confirmar-email/9d1fe2">Confirmar e-mail</a><p><a href="https://aprenda.example/termos">Termos de uso</a> | <a href="https://aprenda.example/descadastrar">Descadastrar</a></p>`,
    otp: null,
    link: "https://aprenda.example/confirmar-email/9d1fe2",
  },
  {
    name: "pt: redefinir senha",
    from: "suporte@lojao.example",
    subject: "Redefinição de senha",
    text: `Olá!

Para redefinir sua senha, acesse o link abaixo:

https://www.lojao.example/conta/senha/nova/MTIzNDU2

O link expira em 24h. Pedido em 11/02/2026 às 19:40.`,
    otp: null,
    link: "https://www.lojao.example/conta/senha/nova/MTIzNDU2",
  },
  {
    name: "pt-PT: palavra-passe única",
    from: "noreply@segsocial.example",
    subject: "Código de autenticação",
    text: "Exmo(a). Senhor(a),\n\nO seu código de autenticação na Segurança Social é: 55 19 03\nNISS: 11234567890\nVálido até às 15:45 de 20-06-2026.",
    otp: "551903",
    link: null,
  },
  {
    name: "pt: link de acesso",
    from: "login@podcastear.example",
    subject: "Seu link de acesso",
    html: `<p>Clique para entrar na sua conta, sem senha:</p><p><a href="https://podcastear.example/e/77Ab-x1">Entrar agora</a></p><p>Ou acesse <a href="https://podcastear.example">nosso site</a>.</p>`,
    otp: null,
    link: "https://podcastear.example/e/77Ab-x1",
  },
  {
    name: "pt: token",
    from: "acesso@clinica.example",
    subject: "Token de acesso ao portal do paciente",
    text: "Prontuário 448219. Seu token de acesso: 0038. Consulta em 15/03/2026 às 09:30. Telefone (11) 3456-7890.",
    otp: "0038",
    link: null,
  },
  {
    name: "pt: nota fiscal",
    from: "nfe@lojao.example",
    subject: "Nota fiscal do pedido 8120937712",
    text: "Nota fiscal nº 000.482.913 série 1. Chave de acesso: 3526 0412 3456 7800 0195 5500 1000 4829 1310 0000 0019. Valor R$ 249,90. CEP 04567-000.",
    otp: null,
    link: null,
  },
  {
    name: "pt: rastreio",
    from: "rastreio@correiomais.example",
    subject: "Seu pacote saiu para entrega",
    text: "Código de rastreamento: QB482913377BR. Pedido 77120045. Previsão: 10/09/2026. Rastrear: https://correiomais.example/r/QB482913377BR",
    otp: null,
    link: null,
  },
  {
    name: "pt: cupom",
    from: "promo@comidinha.example",
    subject: "R$ 20 OFF com o cupom FOME20",
    text: "Código promocional: FOME20. Válido até 28/02. Pedidos acima de R$ 45. https://comidinha.example/app",
    otp: null,
    link: null,
  },
];
