// Provides the signed-in member, loaded once before the shell is shown.
"use client";
import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useEffect, useState } from "react";
import { keepTextsOf } from "../parts/kept-text.ts";
import { isCallError, type Outputs, useTRPC } from "../trpc.ts";
import { useSessionEnd } from "./session-end.ts";

export type Me = Outputs["team"]["me"];
type Role = Me["role"];

const MeContext = createContext<Me | null>(null);
const RANK: Record<Role, number> = { member: 0, admin: 1, owner: 2 };

/** The member: `user`, `organization`, `role`, `organizations`, `payments`. */
export function useMe(): Me {
  const me = use(MeContext);
  if (!me) throw new Error("useMe must be used inside MemberGate");
  return me;
}

/** Whether the member's role is at least `role`: owner, then admin, then member. */
export function useMayAct(role: Role): boolean {
  return RANK[useMe().role] >= RANK[role];
}

type Props = {
  /** Shown while the member loads. */
  waiting: ReactNode;
  /** Shown if the session has no such organization. */
  stranger: (message: string) => ReactNode;
  /** Shown if an organization requires a second factor, and the account has none. */
  setUp: (retry: () => void) => ReactNode;
  /** Shown if the service does not answer. */
  failed: (error: unknown, retry: () => void, busy: boolean) => ReactNode;
  children: ReactNode;
};

/** Goes to the sign-in page, which returns here. */
export function signInAgain(why?: "company=required") {
  const here = `${location.pathname}${location.search}${location.hash}`;
  location.replace(`/sign-in?${why ? `${why}&` : ""}next=${encodeURIComponent(here)}`);
}

/** Before the pages look for kept texts, those of another member are forgotten. */
function OwnTab({ email, children }: { email: string; children: ReactNode }) {
  useState(() => keepTextsOf(email));
  return children;
}

export function MemberGate({ waiting, stranger, setUp, failed, children }: Props) {
  const trpc = useTRPC();
  const sessionEnd = useSessionEnd();
  const { data, error, refetch, isFetching } = useQuery(trpc.team.me.queryOptions());
  const code = !data && isCallError(error) ? error.data?.error.code : undefined;
  useEffect(() => {
    if (code === "unauthorized") signInAgain();
    if (code === "company_sign_in_required") signInAgain("company=required");
    if (data) sessionEnd.arm();
  }, [code, data, sessionEnd]);
  if (data)
    return (
      <OwnTab key={data.user.email} email={data.user.email}>
        <MeContext value={data}>{children}</MeContext>
      </OwnTab>
    );
  if (!error || code === "unauthorized" || code === "company_sign_in_required") return waiting;
  if (code === "not_a_member") return stranger(error.message);
  if (code === "second_factor_missing") return setUp(() => void refetch());
  return failed(error, () => void refetch(), isFetching);
}
