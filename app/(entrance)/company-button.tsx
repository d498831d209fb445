// The button that signs in with the company account, where the service has company sign-in.
"use client";
import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { SessionProblem, useWait } from "../design/session-problem.tsx";
import { beginCompanySignIn, readCompanyName } from "../session.ts";

/** @param input `next`: the page to open afterwards; `token`: of the link to join */
export function CompanyButton(input: { next?: string | undefined; token?: string }) {
  const company = useQuery({ queryKey: ["company"], queryFn: readCompanyName, staleTime: Number.POSITIVE_INFINITY });
  const entry = useMutation({
    mutationFn: () => beginCompanySignIn(input),
    onSuccess(url) {
      sessionStorage.clear();
      location.assign(url);
    },
  });
  const wait = useWait(entry.error);
  if (!company.data) return null;
  return (
    <>
      {entry.error && <SessionProblem error={entry.error} wait={wait} words={{}} />}
      <Button
        variant="default"
        size="md"
        fullWidth
        loading={entry.isPending || entry.isSuccess}
        disabled={wait > 0}
        onClick={() => entry.mutate()}
      >
        Continue with {company.data}
      </Button>
    </>
  );
}
