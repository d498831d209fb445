// <Fields>: the fields of a body or an answer, each with its type and description; fields inside open on request.
import type { Field } from "../document/fields.ts";
import classes from "./operation.module.css";
import { Prose } from "./prose.tsx";

export function Fields({ fields }: { fields: Field[] }) {
  return (
    <ul className={classes.fields}>
      {fields.map((field) => (
        <li key={field.name}>
          <p className={classes.fieldHead}>
            <code>{field.name}</code>
            <span className={classes.type}>{field.type}</span>
            {field.required && <span className={classes.required}>required</span>}
          </p>
          {field.description && <Prose text={field.description} />}
          {field.fields.length > 0 && (
            <details>
              <summary>{field.fields.length} fields</summary>
              <Fields fields={field.fields} />
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}
