// <CodeBlock>: code with a copy button; with several samples, tabs.
//   samples: [{ label: "curl", code: "…" }, { label: "TypeScript", code: "…" }]  (one: no tabs)   what: "the first call"   isFirst: its copy button gets the focus of its dialog
"use client";
import { Tabs } from "@mantine/core";
import { Scrolling } from "../../design/scrolling.tsx";
import classes from "./code-block.module.css";
import { Copy } from "./copy.tsx";

type Sample = { label: string; code: string };
type Props = { samples: [Sample, ...Sample[]]; what: string; isFirst?: boolean };

function Block({ code, what, isFirst = false }: { code: string; what: string; isFirst?: boolean }) {
  return (
    <div className={classes.block}>
      <Scrolling as="pre" className={classes.code}>
        <code>{code}</code>
      </Scrolling>
      <div className={classes.copy}>
        <Copy text={code} what={what} isFirst={isFirst} />
      </div>
    </div>
  );
}

export function CodeBlock({ samples, what, isFirst = false }: Props) {
  const [first, ...others] = samples;
  if (others.length === 0) return <Block code={first.code} what={what} isFirst={isFirst} />;
  return (
    <Tabs defaultValue={first.label} keepMounted={false}>
      <Tabs.List aria-label={`Languages of ${what}`}>
        {samples.map(({ label }) => (
          <Tabs.Tab key={label} value={label}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {samples.map(({ label, code }) => (
        <Tabs.Panel key={label} value={label} pt="xs">
          <Block code={code} what={`${what} in ${label}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
