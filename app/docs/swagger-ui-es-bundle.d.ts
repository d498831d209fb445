// Types for the part of Swagger UI that is used here. It renders with a separate React: `system.React`.
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  export type System = {
    React: typeof import("react");
    /** @param kind `true` for parts that read the document themselves */
    getComponent(name: string, kind?: boolean): import("react").ComponentType<Record<string, unknown>>;
  };

  export type Part = import("react").ComponentType<Record<string, unknown>>;

  export type Plugin = (system: System) => {
    components?: Record<string, Part>;
    wrapComponents?: Record<string, (original: Part, system: System) => Part>;
  };

  export type Options = {
    domNode: HTMLElement;
    spec: object;
    plugins: Plugin[];
    layout: string;
    deepLinking: boolean;
    docExpansion: "list" | "full" | "none";
    defaultModelsExpandDepth: number;
    displayRequestDuration: boolean;
    syntaxHighlight: { theme: string };
    validatorUrl: string | null;
    persistAuthorization: boolean;
  };

  export default function SwaggerUI(options: Options): {
    preauthorizeApiKey(scheme: string, key: string): void;
    authActions: { logout(schemes: string[]): void };
  };
}
