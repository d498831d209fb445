// Replaces parts of Swagger UI: a layout without its header, and fixes for keyboards and screen readers.
import type { Part, Plugin, System } from "swagger-ui-dist/swagger-ui-es-bundle.js";

type LayoutProps = Pick<System, "getComponent">;
type OperationProps = { operationProps: { get(name: "path"): string } };

const UNNAMED_VALUE = "Value";

/**
 * Puts the field of a parameter inside a label with the parameter's name; Swagger UI puts the name into another table
 * cell.
 */
function named(Original: Part, { React: { createElement } }: System): Part {
  return (props) => {
    const name = createElement("span", { className: "visually-hidden" }, String(props.description || UNNAMED_VALUE));
    return createElement("label", { className: "named" }, name, createElement(Original, props));
  };
}

/** Uses `createElement` of Swagger UI's own React, which does not accept elements of another React. */
export const ownParts: Plugin = ({ React: { createElement, Fragment } }) => ({
  components: {
    // The page itself has title, servers and keys (page.tsx, reference.tsx, key-field.tsx).
    ReferenceLayout: (props) => {
      const { getComponent } = props as LayoutProps;
      return createElement(
        "div",
        { className: "swagger-ui" },
        createElement(getComponent("SvgAssets")),
        createElement(getComponent("errors", true)),
        createElement("h2", { className: "visually-hidden" }, "Operations"),
        createElement(getComponent("operations", true)),
      );
    },
    // Removes the lock that opens a dialog for the key: the page has a field for it.
    authorizeOperationBtn: () => null,
    // The original is a link inside the button that opens the operation.
    OperationSummaryPath: (props) => {
      const path = (props as OperationProps).operationProps.get("path");
      const pieces = path
        .split(/(?=\/)/)
        .map((piece, index) =>
          createElement(
            Fragment,
            { key: `${index} ${piece}` },
            createElement("wbr"),
            createElement("span", null, piece),
          ),
        );
      return createElement("span", { className: "opblock-summary-path", "data-path": path }, pieces);
    },
  },
  wrapComponents: {
    JsonSchema_string: named,
    JsonSchema_boolean: named,
    TextArea: (Original) => (props) => createElement(Original, { "aria-label": "Request body", ...props }),
  },
});
