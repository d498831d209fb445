// <NearLink>: a link whose page loads when the pointer or the focus comes near. Next's own loads the pages of all links that
// are in view, which was more than the page that shows them.
"use client";
import Link from "next/link";
import { type ComponentProps, useState } from "react";

export function NearLink(props: ComponentProps<typeof Link>) {
  const [isNear, setNear] = useState(false);
  const near = () => setNear(true);
  return <Link {...props} prefetch={isNear ? null : false} onMouseEnter={near} onFocus={near} onTouchStart={near} />;
}
