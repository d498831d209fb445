// The icons of the pages, each as one SVG path, from Tabler Icons. To add one, copy the `d` of its paths, in order, into one
// string. shell-icons.tsx has the icons of the shell.
import { draw } from "./draw-icon.tsx";

export const IconAlertOctagon = /* @__PURE__ */ draw(
  "M3 9.101v5.798c0 .53 .211 1.039 .586 1.415l4.1 4.1c.375 .375 .884 .586 1.415 .586h5.799c.53 0 1.039 -.211 1.414 -.586l4.1 -4.1c.375 -.375 .586 -.884 .586 -1.415v-5.798c0 -.53 -.211 -1.039 -.586 -1.415l-4.1 -4.1c-.375 -.375 -.884 -.586 -1.414 -.586l-5.799 0c-.53 0 -1.039 .211 -1.415 .586l-4.1 4.1c-.375 .375 -.586 .884 -.586 1.415 M12 8v4 M12 16h.01",
);
export const IconArrowBackUp = /* @__PURE__ */ draw("M9 14l-4 -4l4 -4 M5 10h11a4 4 0 1 1 0 8h-1");
export const IconArrowBackUpDouble = /* @__PURE__ */ draw(
  "M13 14l-4 -4l4 -4 M8 14l-4 -4l4 -4 M9 10h7a4 4 0 1 1 0 8h-1",
);
export const IconArrowForwardUp = /* @__PURE__ */ draw("M15 14l4 -4l-4 -4 M19 10h-11a4 4 0 1 0 0 8h1");
export const IconArrowsMaximize = /* @__PURE__ */ draw(
  "M16 4l4 0l0 4 M14 10l6 -6 M8 20l-4 0l0 -4 M4 20l6 -6 M16 20l4 0l0 -4 M14 14l6 6 M8 4l-4 0l0 4 M4 4l6 6",
);
export const IconArrowsMinimize = /* @__PURE__ */ draw(
  "M5 9l4 0l0 -4 M3 3l6 6 M5 15l4 0l0 4 M3 21l6 -6 M19 9l-4 0l0 -4 M15 9l6 -6 M19 15l-4 0l0 4 M15 15l6 6",
);
export const IconBug = /* @__PURE__ */ draw(
  "M9 9v-1a3 3 0 0 1 6 0v1 M8 9h8a6 6 0 0 1 1 3v3a5 5 0 0 1 -10 0v-3a6 6 0 0 1 1 -3 M3 13l4 0 M17 13l4 0 M12 20l0 -6 M4 19l3.35 -2 M20 19l-3.35 -2 M4 7l3.75 2.4 M20 7l-3.75 2.4",
);
export const IconCheck = /* @__PURE__ */ draw("M5 12l5 5l10 -10");
export const IconChevronDown = /* @__PURE__ */ draw("M6 9l6 6l6 -6");
export const IconCircleX = /* @__PURE__ */ draw("M3 12a9 9 0 1 0 18 0a9 9 0 1 0 -18 0 M10 10l4 4m0 -4l-4 4");
export const IconClock = /* @__PURE__ */ draw("M3 12a9 9 0 1 0 18 0a9 9 0 0 0 -18 0 M12 7v5l3 3");
export const IconClockX = /* @__PURE__ */ draw(
  "M20.926 13.15a9 9 0 1 0 -7.835 7.784 M12 7v5l2 2 M22 22l-5 -5 M17 22l5 -5",
);
export const IconCoinOff = /* @__PURE__ */ draw(
  "M14.8 9a2 2 0 0 0 -1.8 -1h-1m-2.82 1.171a2 2 0 0 0 1.82 2.829h1m2.824 2.822a2 2 0 0 1 -1.824 1.178h-2a2 2 0 0 1 -1.8 -1 M20.042 16.045a9 9 0 0 0 -12.087 -12.087m-2.318 1.677a9 9 0 1 0 12.725 12.73 M12 6v2m0 8v2 M3 3l18 18",
);
export const IconCopy = /* @__PURE__ */ draw(
  "M7 9.667a2.667 2.667 0 0 1 2.667 -2.667h8.666a2.667 2.667 0 0 1 2.667 2.667v8.666a2.667 2.667 0 0 1 -2.667 2.667h-8.666a2.667 2.667 0 0 1 -2.667 -2.667l0 -8.666 M4.012 16.737a2.005 2.005 0 0 1 -1.012 -1.737v-10c0 -1.1 .9 -2 2 -2h10c.75 0 1.158 .385 1.5 1",
);
export const IconDots = /* @__PURE__ */ draw(
  "M4 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0 M11 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0 M18 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0",
);
export const IconDownload = /* @__PURE__ */ draw(
  "M4 17v2a2 2 0 0 0 2 2h12a2 2 0 0 0 2 -2v-2 M7 11l5 5l5 -5 M12 4l0 12",
);
export const IconFileUpload = /* @__PURE__ */ draw(
  "M14 3v4a1 1 0 0 0 1 1h4 M17 21h-10a2 2 0 0 1 -2 -2v-14a2 2 0 0 1 2 -2h7l5 5v11a2 2 0 0 1 -2 2 M12 11v6 M9.5 13.5l2.5 -2.5l2.5 2.5",
);
export const IconFilter = /* @__PURE__ */ draw(
  "M4 4h16v2.172a2 2 0 0 1 -.586 1.414l-4.414 4.414v7l-6 2v-8.5l-4.48 -4.928a2 2 0 0 1 -.52 -1.345v-2.227",
);
export const IconFilterOff = /* @__PURE__ */ draw(
  "M8 4h12v2.172a2 2 0 0 1 -.586 1.414l-3.914 3.914m-.5 3.5v4l-6 2v-8.5l-4.48 -4.928a2 2 0 0 1 -.52 -1.345v-2.227 M3 3l18 18",
);
export const IconHandFinger = /* @__PURE__ */ draw(
  "M8 13v-8.5a1.5 1.5 0 0 1 3 0v7.5 M11 11.5v-2a1.5 1.5 0 1 1 3 0v2.5 M14 10.5a1.5 1.5 0 0 1 3 0v1.5 M17 11.5a1.5 1.5 0 0 1 3 0v4.5a6 6 0 0 1 -6 6h-2h.208a6 6 0 0 1 -5.012 -2.7a69.74 69.74 0 0 1 -.196 -.3c-.312 -.479 -1.407 -2.388 -3.286 -5.728a1.5 1.5 0 0 1 .536 -2.022a1.867 1.867 0 0 1 2.28 .28l1.47 1.47",
);
export const IconHistory = /* @__PURE__ */ draw("M12 8l0 4l2 2 M3.05 11a9 9 0 1 1 .5 4m-.5 5v-5h5");
export const IconInfoCircle = /* @__PURE__ */ draw("M3 12a9 9 0 1 0 18 0a9 9 0 0 0 -18 0 M12 9h.01 M11 12h1v4h1");
export const IconLock = /* @__PURE__ */ draw(
  "M5 13a2 2 0 0 1 2 -2h10a2 2 0 0 1 2 2v6a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-6 M11 16a1 1 0 1 0 2 0a1 1 0 0 0 -2 0 M8 11v-4a4 4 0 1 1 8 0v4",
);
export const IconLockOff = /* @__PURE__ */ draw(
  "M15 11h2a2 2 0 0 1 2 2v2m0 4a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-6a2 2 0 0 1 2 -2h4 M11 16a1 1 0 1 0 2 0a1 1 0 0 0 -2 0 M8 11v-3m.719 -3.289a4 4 0 0 1 7.281 2.289v4 M3 3l18 18",
);
export const IconLogout = /* @__PURE__ */ draw(
  "M14 8v-2a2 2 0 0 0 -2 -2h-7a2 2 0 0 0 -2 2v12a2 2 0 0 0 2 2h7a2 2 0 0 0 2 -2v-2 M9 12h12l-3 -3 M18 15l3 -3",
);
export const IconMail = /* @__PURE__ */ draw(
  "M3 7a2 2 0 0 1 2 -2h14a2 2 0 0 1 2 2v10a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2v-10 M3 7l9 6l9 -6",
);
export const IconMailOpened = /* @__PURE__ */ draw(
  "M3 9l9 6l9 -6l-9 -6l-9 6 M21 9v10a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2v-10 M3 19l6 -6 M15 13l6 6",
);
export const IconMailbox = /* @__PURE__ */ draw(
  "M10 21v-6.5a3.5 3.5 0 0 0 -7 0v6.5h18v-6a4 4 0 0 0 -4 -4h-10.5 M12 11v-8h4l2 2l-2 2h-4 M6 15h1",
);
export const IconPaperclip = /* @__PURE__ */ draw(
  "M15 7l-6.5 6.5a1.5 1.5 0 0 0 3 3l6.5 -6.5a3 3 0 0 0 -6 -6l-6.5 6.5a4.5 4.5 0 0 0 9 9l6.5 -6.5",
);
export const IconPencil = /* @__PURE__ */ draw("M4 20h4l10.5 -10.5a2.828 2.828 0 1 0 -4 -4l-10.5 10.5v4 M13.5 6.5l4 4");
export const IconPhotoOff = /* @__PURE__ */ draw(
  "M15 8h.01 M7 3h11a3 3 0 0 1 3 3v11m-.856 3.099a2.991 2.991 0 0 1 -2.144 .901h-12a3 3 0 0 1 -3 -3v-12c0 -.845 .349 -1.608 .91 -2.153 M3 16l5 -5c.928 -.893 2.072 -.893 3 0l5 5 M16.33 12.338c.574 -.054 1.155 .166 1.67 .662l3 3 M3 3l18 18",
);
export const IconPlayerPause = /* @__PURE__ */ draw(
  "M6 6a1 1 0 0 1 1 -1h2a1 1 0 0 1 1 1v12a1 1 0 0 1 -1 1h-2a1 1 0 0 1 -1 -1l0 -12 M14 6a1 1 0 0 1 1 -1h2a1 1 0 0 1 1 1v12a1 1 0 0 1 -1 1h-2a1 1 0 0 1 -1 -1l0 -12",
);
export const IconPlus = /* @__PURE__ */ draw("M12 5l0 14 M5 12l14 0");
export const IconSelector = /* @__PURE__ */ draw("M8 9l4 -4l4 4 M16 15l-4 4l-4 -4");
export const IconSend = /* @__PURE__ */ draw(
  "M10 14l11 -11 M21 3l-6.5 18a.55 .55 0 0 1 -1 0l-3.5 -7l-7 -3.5a.55 .55 0 0 1 0 -1l18 -6.5",
);
export const IconShieldCheck = /* @__PURE__ */ draw(
  "M11.46 20.846a12 12 0 0 1 -7.96 -14.846a12 12 0 0 0 8.5 -3a12 12 0 0 0 8.5 3a12 12 0 0 1 -.09 7.06 M15 19l2 2l4 -4",
);
export const IconShieldLock = /* @__PURE__ */ draw(
  "M12 3a12 12 0 0 0 8.5 3a12 12 0 0 1 -8.5 15a12 12 0 0 1 -8.5 -15a12 12 0 0 0 8.5 -3 M11 11a1 1 0 1 0 2 0a1 1 0 1 0 -2 0 M12 12l0 2.5",
);
export const IconShieldQuestion = /* @__PURE__ */ draw(
  "M15.065 19.732c-.95 .557 -1.98 .986 -3.065 1.268a12 12 0 0 1 -8.5 -15a12 12 0 0 0 8.5 -3a12 12 0 0 0 8.5 3c.51 1.738 .617 3.55 .333 5.303 M19 22v.01 M19 19a2.003 2.003 0 0 0 .914 -3.782a1.98 1.98 0 0 0 -2.414 .483",
);
export const IconTag = /* @__PURE__ */ draw(
  "M6.5 7.5a1 1 0 1 0 2 0a1 1 0 1 0 -2 0 M3 6v5.172a2 2 0 0 0 .586 1.414l7.71 7.71a2.41 2.41 0 0 0 3.408 0l5.592 -5.592a2.41 2.41 0 0 0 0 -3.408l-7.71 -7.71a2 2 0 0 0 -1.414 -.586h-5.172a3 3 0 0 0 -3 3",
);
export const IconUserMinus = /* @__PURE__ */ draw(
  "M8 7a4 4 0 1 0 8 0a4 4 0 0 0 -8 0 M6 21v-2a4 4 0 0 1 4 -4h4c.348 0 .686 .045 1.009 .128 M16 19h6",
);
export const IconUserPlus = /* @__PURE__ */ draw(
  "M8 7a4 4 0 1 0 8 0a4 4 0 0 0 -8 0 M16 19h6 M19 16v6 M6 21v-2a4 4 0 0 1 4 -4h4",
);
