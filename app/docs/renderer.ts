// Renders the document with Swagger UI: the large part of the page, loaded on demand (see reference.tsx).
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import type { ApiDocument } from "./api-document.ts";
import { ownParts } from "./own-parts.ts";
import "./swagger.css";

/** The one security scheme of the document (server/api/openapi/document.ts). */
const KEY_SCHEME = "agentKey";
/** Swagger UI's dark styles need this class on <html>. */
const DARK_CLASS = "dark-mode";

export type Drawn = {
  /** The bearer key for calls; empty for none. */
  callWith(key: string): void;
  /** Removes everything from the page. */
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

/** @param place an element of the page; the content goes into a child of it */
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
    // The default theme's numbers have too little contrast (WCAG 1.4.3).
    syntaxHighlight: { theme: "tomorrow-night" },
    // Otherwise Swagger's public validator would be called.
    validatorUrl: null,
    persistAuthorization: false,
  });
  let hasKey = false;
  return {
    callWith(key) {
      if (key) ui.preauthorizeApiKey(KEY_SCHEME, key);
      // It throws if there was no login.
      else if (hasKey) ui.authActions.logout([KEY_SCHEME]);
      hasKey = key !== "";
    },
    remove() {
      stopFollowing();
      domNode.remove();
    },
  };
}
