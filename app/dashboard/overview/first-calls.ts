// The first steps as calls of curl, with the key and the address filled in where they are known.

type Known = { origin: string; secret: string | undefined; address: string | undefined };

export function callsOf({ origin, secret, address }: Known) {
  const json = '-H "Content-Type: application/json"';
  const key = '-H "Authorization: Bearer $AGENT_KEY"';
  const inbox = encodeURIComponent(address ?? "my-agent@example.com");
  return {
    create: `export ENROLLMENT_KEY=${secret ?? "mb_enroll_…"}

curl -s ${origin}/v1/enroll ${json} \\
  -d "{\\"token\\":\\"$ENROLLMENT_KEY\\",\\"agent_handle\\":\\"my-agent\\"}" | tee agent.json
export AGENT_KEY=$(node -p 'JSON.parse(fs.readFileSync("agent.json")).agent_key')

curl -X POST ${origin}/v1/inboxes ${key}`,
    send: `curl ${origin}/v1/inboxes/${inbox}/send ${key} \\
  ${json} -d '{"to":"${address ?? "my-agent@example.com"}","subject":"Hello","text":"A test."}'`,
    register: `curl ${origin}/v1/webhooks ${key} \\
  ${json} -d '{"url":"https://agent.example/hooks/mail","events":["message.received"]}'`,
  };
}
