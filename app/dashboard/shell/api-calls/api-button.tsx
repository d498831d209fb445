// <ApiButton>: opens the calls of the API that do what the page shows.
"use client";
import { useDisclosure } from "@mantine/hooks";
import { later } from "../../parts/later.ts";
import classes from "./api-calls.module.css";

const ApiCalls = later(() => import("./api-calls.tsx"));

export function ApiButton() {
  const [opened, calls] = useDisclosure(false);
  return (
    <>
      <button type="button" className={classes.button} title="Show the API calls of this page" onClick={calls.open}>
        API
      </button>
      {opened && <ApiCalls onClose={calls.close} />}
    </>
  );
}
