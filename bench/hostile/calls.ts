import { createServer } from 'node:http'
import { once } from 'node:events'
import { action, post, type Row, rulesetOf } from './row.ts'
import { portOf } from '../port-of.ts'

/** Bodies of `GET /<name>` that a called service may answer. */
const ANSWERS: Readonly<Record<string, () => string>> = {
  digits: () => `0.${'1'.repeat(900_000)}`,
  lists: () => `[${'[],'.repeat(300_000)}1]`,
  keys: () => `{${Array.from({ length: 80_000 }, (_, index) => `"\\"${index}":1`).join(',')}}`,
}

/** A server on loopback whose answers are hostile; `/never` does not answer. */
export async function startUpstream(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer(({ url = '' }, response) => {
    const answer = ANSWERS[url.slice(1)]
    if (answer !== undefined) response.writeHead(200, { 'content-type': 'application/json' }).end(answer())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function call(url: string, variable?: string): object {
  return {
    action: 'external_call',
    service: 'network.http',
    method: variable === undefined ? 'post' : 'get',
    params: [['url', { Literal: url }], ...(variable === undefined ? [['json_body', { Literal: { input: {} } }]] : [])],
    ...(variable === undefined ? {} : { result_variable: variable }),
  }
}

export const CALLS: readonly Row[] = [
  ...Object.keys(ANSWERS).map((name): Row => ({
    name: `call: a service answers ${name}, 4 concurrent executions`,
    rulesets: ({ upstream }) => [rulesetOf('calls', [action('a', [call(`${upstream}/${name}`, 'v')], 'YES')])],
    request: () => post('/execute/calls', { input: {} }),
    times: 4,
  })),
  {
    name: 'call: a ruleset that calls itself twice',
    rulesets: ({ engine }) => {
      const itself = call(`${engine}/api/v1/execute/fork`)
      return [rulesetOf('fork', [action('a', [itself, itself], 'YES')])]
    },
    request: () => post('/execute/fork', { input: {} }),
  },
  {
    name: 'call: 200 executions that wait for a service that never answers',
    rulesets: ({ upstream }) => [
      rulesetOf('waits', [action('a', [call(`${upstream}/never`, 'v')], 'YES')], { timeout_ms: 1000 }),
    ],
    request: () => post('/execute/waits', { input: {} }),
    times: 200,
  },
]
