// The webhooks: all, one (`?id=whk_…`), or one of its deliveries (`?id=…&delivery=dlv_…`).
"use client";
import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";
import { Suspense } from "react";
import { patient } from "../parts/patient.ts";
import { TableSkeleton } from "../parts/table-skeleton.tsx";

const loading = () => <TableSkeleton label="Loading webhooks" />;
const WebhookList = dynamic(() => patient(() => import("./webhook-list.tsx").then((module) => module.WebhookList)), {
  loading,
});
const OneWebhook = dynamic(() => patient(() => import("./one-webhook.tsx").then((module) => module.OneWebhook)), {
  loading,
});
const OneDelivery = dynamic(() => patient(() => import("./one-delivery.tsx").then((module) => module.OneDelivery)), {
  loading,
});

export default function WebhooksPage() {
  return (
    <Suspense fallback={loading()}>
      <Place />
    </Suspense>
  );
}

function Place() {
  const parameters = useSearchParams();
  const [id, delivery] = [parameters.get("id"), parameters.get("delivery")];
  if (id === null) return <WebhookList />;
  // The state of one webhook's page must not be reused for another.
  if (delivery === null) return <OneWebhook key={id} id={id} />;
  return <OneDelivery key={delivery} id={id} deliveryId={delivery} />;
}
