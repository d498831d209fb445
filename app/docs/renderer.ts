// Draws the document with Swagger UI: the part of the page that is heavy, loaded when it is needed (see reference.tsx).
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import type { ApiDocument } from "./api-document.ts";
import { ownParts } from "./own-parts.ts";
import "./swagger.css";

/** The one security scheme of the document (server/api/openapi/document.ts). */
const KEY_SCHEME = "agentKey";
/** Swagger UI's dark rules hang on this class of <html>. */
const DARK_CLASS = "dark-mode";

export type Drawn = {
  /** The bearer key of the calls that are tried from now on; empty for none. */
  callWith(key: string): void;
  /** Takes everything out of the page again. */
  remove(): void;
};

function followColorScheme(): () => void {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const root = window.document.documentElement;
  const apply = () => root.classList.toggle(DARK_CLASS, dark.matches);
  apply();
  dark.addEventListener("change", apply);
  return () => {
    dark.removeEventListener("change", apply);
    root.classList.remove(DARK_CLASS);
  };
}

/** @param place an element of the page; what is drawn goes into a child of it */
export function draw(place: HTMLElement, { content }: ApiDocument): Drawn {
  const domNode = place.appendChild(window.document.createElement("div"));
  const stopFollowing = followColorScheme();
  const ui = SwaggerUI({
    domNode,
    spec: content,
    plugins: [ownParts],
    layout: "ReferenceLayout",
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    // The default one's numbers are too faint to read (WCAG 1.4.3).
    syntaxHighlight: { theme: "tomorrow-night" },
    // Swagger's own service would be asked otherwise.
    validatorUrl: null,
    persistAuthorization: false,
  });
  let hasKey = false;
  return {
    callWith(key) {
      if (key) ui.preauthorizeApiKey(KEY_SCHEME, key);
      // It fails where nobody had logged in.
      else if (hasKey) ui.authActions.logout([KEY_SCHEME]);
      hasKey = key !== "";
    },
    remove() {
      stopFollowing();
      domNode.remove();
    },
  };
}
