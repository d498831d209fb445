// The webhooks: all, one (`?id=whk_…`), or one of its deliveries (`?id=…&delivery=dlv_…`).
"use client";
import { useSearchParams } from "next/navigation";
import { Suspense } from "react";
import { later } from "../parts/later.ts";
import { TableSkeleton } from "../parts/table-skeleton.tsx";

const loading = () => <TableSkeleton label="Loading webhooks" />;
const WebhookList = later(() => import("./webhook-list.tsx"), loading);
const OneWebhook = later(() => import("./one-webhook.tsx"), loading);
const OneDelivery = later(() => import("./one-delivery.tsx"), loading);

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
