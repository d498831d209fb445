// The exit codes of the command. They are part of its interface and never change their meaning.

export const EXIT = {
  ok: 0,
  error: 1,
  usage: 2,
  unauthorized: 3,
  notFound: 4,
  conflict: 5,
  timeout: 6,
  rateLimited: 7,
  unavailable: 8,
  doctorFailed: 9,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** HTTP statuses of the service with a code of their own; every other refusal is `error`. */
const OF_STATUS: Record<number, ExitCode> = {
  401: EXIT.unauthorized,
  402: EXIT.conflict,
  403: EXIT.unauthorized,
  404: EXIT.notFound,
  408: EXIT.timeout,
  409: EXIT.conflict,
  429: EXIT.rateLimited,
  502: EXIT.unavailable,
  503: EXIT.unavailable,
  504: EXIT.unavailable,
};

export function exitOfStatus(status: number | undefined): ExitCode {
  return OF_STATUS[status ?? 0] ?? EXIT.error;
}
