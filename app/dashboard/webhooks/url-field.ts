// Checks a webhook's URL as far as the browser can; the service checks it again.

const URL_CHARS = 2_048;

/** Undefined if nothing is wrong. */
export function urlProblem(text: string): string | undefined {
  if (text.length > URL_CHARS) return `At most ${URL_CHARS} characters.`;
  const url = URL.parse(text);
  if (!url || !/^https?:\/\//i.test(text)) return "A whole URL, such as https://agent.example/hooks/mail";
  if (url.username || url.password)
    return "Remove the credentials from the URL. The signature authenticates the request.";
}
