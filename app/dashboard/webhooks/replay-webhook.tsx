// The dialog to replay the events of a period, page by page, with the count.
"use client";
import { Alert, Button, Group, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useCallback, useEffect, useRef, useState } from "react";
import { IconCircleCheck } from "../../design/shell-icons.tsx";
import { Dialog, DialogActions } from "../parts/dialog.tsx";
import { Problem } from "../parts/problem.tsx";
import { useTRPC, useTRPCClient } from "../trpc.ts";
import { fromLocal, toLocal, viewersZone } from "./local-time.ts";
import classes from "./webhooks.module.css";

const DAY_MS = 86_400_000;
const WINDOW_MAX_DAYS = 30;
/** The period that is selected at first. */
const PRESETS = [
  { label: "Last hour", ms: DAY_MS / 24 },
  { label: "Last day", ms: DAY_MS },
  { label: "Last week", ms: 7 * DAY_MS },
];

type Window = { since: string; until: string };
type Done = { replayed: number; ended: boolean };

function windowProblem(since: string | undefined, until: string | undefined): string | undefined {
  if (since === undefined || until === undefined) return "Choose both times.";
  const ms = new Date(until).getTime() - new Date(since).getTime();
  if (ms <= 0) return "The end must be after the beginning.";
  if (ms > WINDOW_MAX_DAYS * DAY_MS) return `At most ${WINDOW_MAX_DAYS} days.`;
}

/** The last minute is included, because the field has no seconds and recent events matter. */
function lately(ms: number): Window {
  return { since: toLocal(new Date(Date.now() - ms)), until: toLocal(new Date(Date.now() + 60_000)) };
}

/** Follows `next_cursor` to the end, or until it is stopped; `onPage` receives the count so far. */
function useReplay(id: string, onPage: (done: Done) => void) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const stopped = useRef(false);
  const replay = useMutation({
    async mutationFn({ since, until, only_failed }: Window & { only_failed: boolean }) {
      stopped.current = false;
      let page = await client.webhooks.replay.mutate({ id, since, until, only_failed });
      let replayed = page.replayed;
      while (page.next_cursor !== null && !stopped.current) {
        onPage({ replayed, ended: false });
        // From now on the service's own `until`, which belongs to the cursor.
        const { until: end, next_cursor: cursor } = page;
        page = await client.webhooks.replay.mutate({ id, since, until: end, only_failed, cursor });
        replayed += page.replayed;
      }
      onPage({ replayed, ended: page.next_cursor === null });
    },
    onSettled: () => queries.invalidateQueries(trpc.webhooks.pathFilter()),
  });
  const stop = useCallback(() => {
    stopped.current = true;
  }, []);
  useEffect(() => stop, [stop]);
  return { replay, stop };
}

export default function ReplayWebhook({ id, onClose }: { id: string; onClose: () => void }) {
  const [{ since, until }, setWindow] = useState(() => lately(DAY_MS));
  const [which, setWhich] = useState("failed");
  const [done, setDone] = useState<Done>();
  const { replay, stop } = useReplay(id, setDone);
  const [from, to] = [fromLocal(since), fromLocal(until)];
  const problem = windowProblem(from, to);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    setDone(undefined);
    if (!problem && from && to && !replay.isPending) {
      replay.mutate({ since: from, until: to, only_failed: which === "failed" });
    }
  }

  return (
    <Dialog onClose={replay.isPending ? stop : onClose} title="Replay events" size="lg">
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            Sends the events of a period again, with the same IDs and new signatures. A receiver that stores delivery
            IDs can skip duplicates.
          </Text>
          <Group gap="xs">
            {PRESETS.map(({ label, ms }) => (
              <Button key={label} size="compact-sm" variant="light" onClick={() => setWindow(lately(ms))}>
                {label}
              </Button>
            ))}
          </Group>
          <div className={classes.filters}>
            <TextInput
              wrapperProps={{ "data-grow": true }}
              label="From"
              data-autofocus
              type="datetime-local"
              required
              value={since}
              onChange={(event) => setWindow({ since: event.currentTarget.value, until })}
            />
            <TextInput
              wrapperProps={{ "data-grow": true }}
              label="To"
              type="datetime-local"
              required
              value={until}
              onChange={(event) => setWindow({ since, until: event.currentTarget.value })}
            />
          </div>
          <Text size="sm" c={problem ? "red" : "dimmed"} role={problem ? "alert" : undefined}>
            {problem ?? `In your time zone, ${viewersZone()}.`}
          </Text>
          <Radio.Group label="Which events" value={which} onChange={setWhich}>
            <Stack gap="xs" mt={6}>
              <Radio
                value="failed"
                label="Failed deliveries only"
                description="Deliveries whose retries are exhausted."
              />
              <Radio
                value="all"
                label="All"
                description="Including successful deliveries, and events from before the webhook was registered or while it was disabled."
              />
            </Stack>
          </Radio.Group>
          {replay.error && <Problem error={replay.error} what={halfWay(done)} />}
          {done && !replay.error && <Progress done={done} running={replay.isPending} />}
          <DialogActions>
            <Button variant="default" onClick={replay.isPending ? stop : onClose}>
              {replay.isPending ? "Stop" : "Close"}
            </Button>
            <Button type="submit" loading={replay.isPending} disabled={problem !== undefined}>
              Replay
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}

const deliveries = (count: number) => `${count.toLocaleString("en")} ${count === 1 ? "delivery" : "deliveries"}`;

function halfWay(done: Done | undefined): string {
  return done ? `Stopped after ${deliveries(done.replayed)}` : "Nothing was replayed";
}

function Progress({ done: { replayed, ended }, running }: { done: Done; running: boolean }) {
  if (running) return <Text role="status">{deliveries(replayed)} due so far…</Text>;
  if (replayed === 0)
    return <Text role="status">No events to replay in this period. Pending deliveries continue as planned.</Text>;
  return (
    <Alert color="green" role="status" icon={<IconCircleCheck aria-hidden />}>
      {deliveries(replayed)} {replayed === 1 ? "is" : "are"} queued and will be sent now.
      {!ended && " Stopped early. Replay the rest when you want."}
    </Alert>
  );
}
