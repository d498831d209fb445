// The result of the debugger: the verdict, then each step in the order in which a receiver performs it.
"use client";
import { Alert, Text, Title, VisuallyHidden } from "@mantine/core";
import { IconCircleX, IconInfoCircle } from "../../../design/icons.tsx";
import { IconAlertTriangle, IconCircleCheck } from "../../../design/shell-icons.tsx";
import classes from "../webhooks.module.css";
import type { Diagnosis, Finding } from "./signature-diagnosis.ts";

const SHAPES = {
  good: { Shape: IconCircleCheck, word: "Correct" },
  bad: { Shape: IconCircleX, word: "Wrong" },
  note: { Shape: IconInfoCircle, word: "Note" },
} as const;
const STEPS: Record<Finding["step"], string> = {
  secret: "Secret",
  header: "Header",
  time: "Time",
  body: "Body",
  signature: "Signature",
};

export function Findings({ diagnosis: { verdict, findings }, isNow }: { diagnosis: Diagnosis; isNow: boolean }) {
  return (
    <>
      <div role="status">
        <Verdict verdict={verdict} isNow={isNow} />
      </div>
      <Title order={2} size="h3" mt="lg" mb="md">
        Step by step
      </Title>
      <ol className={classes.findings}>
        {findings.map((finding) => (
          <Found key={`${finding.step} ${finding.text}`} finding={finding} />
        ))}
      </ol>
    </>
  );
}

function Verdict({ verdict, isNow }: { verdict: Diagnosis["verdict"]; isNow: boolean }) {
  if (verdict === "valid") {
    return <Alert color="green" icon={<IconCircleCheck aria-hidden />} title="The signature is valid" />;
  }
  if (verdict === "stale") {
    return (
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="The signature is valid, but too old">
        {isNow
          ? "A receiver would refuse it now. Enter the time of receipt to check it at that time."
          : "The receiver refuses it only because of its time."}
      </Alert>
    );
  }
  return <Alert color="red" icon={<IconCircleX aria-hidden />} title="The signature is not valid" />;
}

function Found({ finding: { step, state, text, fix } }: { finding: Finding }) {
  const { Shape, word } = SHAPES[state];
  return (
    <li className={classes.finding} data-state={state}>
      <Shape size={21} aria-hidden />
      <div>
        <Text size="xs" c="dimmed" fw={600}>
          {STEPS[step]}
          <VisuallyHidden>: {word}</VisuallyHidden>
        </Text>
        <Text>{text}</Text>
        {fix && (
          <Text size="sm" c="dimmed" mt={2}>
            {fix}
          </Text>
        )}
      </div>
    </li>
  );
}
