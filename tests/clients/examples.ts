import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Check } from './check.ts'
import { ROOT, run } from './command.ts'
import { type Server, TOKEN, tokenOptions, withServer } from './server.ts'
import { go, pythonPrograms, requireInstalled, requireJava } from './tools.ts'

const EXAMPLES = join(ROOT, 'docs/clients')

/** The expected output of each example, except curl, which prints the responses unchanged. */
const LINES = `stored adult-check
ADULT 500
MINOR ADULT
400 BAD_REQUEST starts_with
`
const ANSWERS = [
  /^\{"status":"(?:created|updated)","name":"adult-check","digest":"sha256:[0-9a-f]{64}"(?:,"unchanged":true)?\}$/,
  /^\{"code":"ADULT","message":"may order","output":\{"limit":500\},"duration_us":\d+\}$/,
  /^\{"results":\[\{"code":"MINOR",.*\},\{"code":"ADULT",.*\}\],"summary":\{"total":2,.*\}\}$/,
  /^\{"error":"there is no function `start_with`.*"code":"BAD_REQUEST".*"suggestion":"starts_with"\}\]\}$/,
]

const OPTIONS = (folder: string) => [...tokenOptions(folder), '--multi-tenancy-enabled', '--metrics-enabled']

/** Throws unless an example has printed the expected output. */
function requireShown(name: string, output: string): void {
  if (name !== 'curl') return assert.equal(output, LINES)
  const lines = output.trim().split('\n')
  assert.equal(lines.length, ANSWERS.length, output)
  for (const [index, answer] of ANSWERS.entries()) assert.match(lines[index] ?? '', answer)
}

/** How many requests the server has refused because of `qps_limit`. */
async function refusals(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const [, refused = '0'] = /^engine_tenant_rate_limited_total\{tenant="default"\} (\d+)/m.exec(metrics) ?? []
  return Number(refused)
}

/** Runs an example against a server that requires a token and refuses the second request within a second. */
const example = (
  name: string,
  show: (env: Readonly<Record<string, string>>, server: Server) => Promise<string>,
): Check => ({
  name: `example: ${name}`,
  run: () =>
    withServer(OPTIONS, async (server) => {
      const { url } = server
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
      const limited = await fetch(`${url}/api/v1/tenants/default`, { method: 'PUT', headers, body: '{"qps_limit": 1}' })
      assert.equal(limited.status, 200)
      // On a busy machine a run may be too slow to be refused anything.
      for (let left = 10; left > 0; left--) {
        requireShown(name, await show({ ENGINE_URL: url, ENGINE_TOKEN: TOKEN }, server))
        const refused = await refusals(url)
        if (refused > 0) return `stores, executes, batches, shows an error, waits after each of ${refused} refusals`
      }
      throw new Error('no request was refused: the example was not seen to wait')
    }),
})

export const HTTP_EXAMPLES: readonly Check[] = [
  example('curl', async (env) => {
    await requireInstalled('curl', 'curl', '--version')
    return run('bash', [join(EXAMPLES, 'http.sh')], { env })
  }),
  example('TypeScript, fetch', (env) => run('node', [join(EXAMPLES, 'http.mts')], { env })),
  example('Python, urllib', async (env) =>
    run(join(await pythonPrograms(), 'python'), ['-B', join(EXAMPLES, 'http_client.py')], { env }),
  ),
  example('Go, net/http', async (env, { folder }) => {
    const program = join(folder, 'example')
    await go(['build', '-o', program, join(EXAMPLES, 'http.go')], EXAMPLES)
    return run(program, [], { cwd: EXAMPLES, env })
  }),
  example('Java, java.net.http', async (env) => {
    await requireJava()
    return run('java', [join(EXAMPLES, 'HttpClientExample.java')], { cwd: EXAMPLES, env })
  }),
]
