// The icons of the toolbar, which load with it (app/design/icons.tsx says how to add one).
import { draw } from "../../../../design/draw-icon.tsx";

export type { Icon } from "../../../../design/draw-icon.tsx";

export const IconBlockquote = /* @__PURE__ */ draw(
  "M6 15h15 M21 19h-15 M15 11h6 M21 7h-6 M9 9h1a1 1 0 1 1 -1 1v-2.5a2 2 0 0 1 2 -2 M3 9h1a1 1 0 1 1 -1 1v-2.5a2 2 0 0 1 2 -2",
);
export const IconBold = /* @__PURE__ */ draw("M7 5h6a3.5 3.5 0 0 1 0 7h-6l0 -7 M13 12h1a3.5 3.5 0 0 1 0 7h-7v-7");
export const IconItalic = /* @__PURE__ */ draw("M11 5l6 0 M7 19l6 0 M14 5l-4 14");
export const IconLink = /* @__PURE__ */ draw(
  "M9 15l6 -6 M11 6l.463 -.536a5 5 0 0 1 7.071 7.072l-.534 .464 M13 18l-.397 .534a5.068 5.068 0 0 1 -7.127 0a4.972 4.972 0 0 1 0 -7.071l.524 -.463",
);
export const IconList = /* @__PURE__ */ draw("M9 6l11 0 M9 12l11 0 M9 18l11 0 M5 6l0 .01 M5 12l0 .01 M5 18l0 .01");
export const IconListNumbers = /* @__PURE__ */ draw(
  "M11 6h9 M11 12h9 M12 18h8 M4 16a2 2 0 1 1 4 0c0 .591 -.5 1 -1 1.5l-3 2.5h4 M6 10v-6l-2 2",
);
export const IconUnderline = /* @__PURE__ */ draw("M7 5v5a5 5 0 0 0 10 0v-5 M5 19h14");
