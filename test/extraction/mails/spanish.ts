// Mails in Spanish.
import type { Mail } from "./mail.ts";

export const spanish: Mail[] = [
  {
    name: "es: banco, clave de operación",
    from: "avisos@bancosol.example",
    subject: "Clave para tu transferencia",
    text: `Hola, Lucía:

Vas a enviar 2.300,50 € a la cuenta terminada en 0917. Tu clave de un solo uso es 815533.

Caduca en 3 minutos. Si no has sido tú, llama al 900 12 34 56.`,
    otp: "815533",
    link: null,
  },
  {
    name: "es: código de verificación en línea propia",
    from: "no-responder@mercadito.example",
    subject: "Tu código de verificación",
    text: `¡Hola!

Usa el siguiente código para verificar tu cuenta:

  4 8 0 2 9 1

El código vence a las 18:30 del 22/09/2026.
Mercadito S.A., Av. Corrientes 1234, C1043 Buenos Aires`,
    otp: "480291",
    link: null,
  },
  {
    name: "es: confirma tu correo",
    from: "hola@idiomas.example",
    subject: "Confirma tu correo electrónico",
    html: `<h2>¡Ya casi está, Mateo!</h2><p>Pulsa el botón para confirmar tu dirección de correo.</p><a href="https://idiomas.example/u/confirmar?c=1c9a77">Confirmar correo</a>
<p><a href="https://idiomas.example/ayuda">Ayuda</a> <a href="https://idiomas.example/baja?u=118">Darse de baja</a> <a href="https://instagram.com/idiomas">Instagram</a></p>`,
    otp: null,
    link: "https://idiomas.example/u/confirmar?c=1c9a77",
  },
  {
    name: "es: restablecer contraseña",
    from: "soporte@cinecasa.example",
    subject: "Restablece tu contraseña",
    html: `<p>Recibimos una solicitud para restablecer tu contraseña.</p><p><a href="https://go.cinecasa.example/e3t/Ctc/2W">Restablecer contraseña</a></p><p>El enlace caduca en 1 hora.</p><p><a href="https://go.cinecasa.example/e3t/Ctc/9Z">Centro de ayuda</a></p>`,
    otp: null,
    link: "https://go.cinecasa.example/e3t/Ctc/2W",
  },
  {
    name: "es: código de acceso con teléfono y pedido",
    from: "acceso@farmaplus.example",
    subject: "Código de acceso",
    text: `Pedido 20260418-7731
Importe: $ 18.450,00
Tu código de acceso: K7XM92
No lo compartas. Línea de atención 0800-555-0199.`,
    otp: "K7XM92",
    link: null,
  },
  {
    name: "es: activación por enlace",
    from: "registro@ayuntamiento.example",
    subject: "Activación de su cuenta en la sede electrónica",
    text: `Estimado/a ciudadano/a:

Para activar su cuenta acceda a la siguiente dirección:
https://sede.ayuntamiento.example/activar?id=99310&firma=aa91bc

Número de expediente: 2026/004512.`,
    otp: null,
    link: "https://sede.ayuntamiento.example/activar?id=99310&firma=aa91bc",
  },
  {
    name: "es: asunto con código",
    from: "seguridad@redamigos.example",
    subject: "62514 es tu código para recuperar la cuenta",
    html: `<p>Hola, Iván:</p><p>Hemos recibido una solicitud para restablecer la contraseña de tu cuenta. Introduce este código:</p><table><tr><td>62514</td></tr></table><p>Red Amigos, 1 Hacker Way, Menlo Park, CA 94025</p>`,
    otp: "62514",
    link: null,
  },
  {
    name: "es: recibo de viaje",
    from: "recibos@taxiya.example",
    subject: "Tu recibo del viaje del martes",
    text: "Total: 12,40 €\nSalida 08:14 · Llegada 08:39 · 7,3 km\nTarjeta •••• 4921\nMatrícula 4821 KLM\nFactura TX-99120034\nhttps://taxiya.example/recibo/99120034",
    otp: null,
    link: null,
  },
  {
    name: "es: cupón",
    from: "ofertas@tiendas.example",
    subject: "Tu cupón de 10 € te espera",
    text: "Usa el código de descuento HOLA10 en tu próxima compra superior a 60 €. Válido hasta el 31/12/2026. Compra ya: https://tiendas.example/ofertas",
    otp: null,
    link: null,
  },
  {
    name: "es: reserva de hotel",
    from: "reservas@hotelmar.example",
    subject: "Reserva confirmada 4482910",
    html: `<p>Su reserva está confirmada.</p><p>Localizador: <b>4482910</b></p><p>Entrada: 02/08/2026 · Salida: 09/08/2026 · Habitación 214</p><p>Código postal 07181. Teléfono +34 971 55 01 22</p><a href="https://hotelmar.example/reservas/4482910">Ver mi reserva</a>`,
    otp: null,
    link: null,
  },
  {
    name: "es: contraseña cambiada",
    from: "seguridad@correofacil.example",
    subject: "Tu contraseña ha cambiado",
    text: "La contraseña de tu cuenta se cambió el 3 de mayo de 2026 a las 10:22. Si no fuiste tú, contacta con soporte en el 912 345 678.",
    otp: null,
    link: null,
  },
];
