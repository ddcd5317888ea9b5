import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Check } from './check.ts'
import { CommandFailed, run } from './command.ts'
import { type Finding, findingsIn } from './finding.ts'
import { KNOWN_FINDINGS, type KnownFinding } from './known-findings.ts'
import { type Server, TOKEN, tokenOptions, withServer } from './server.ts'
import { pythonPrograms } from './tools.ts'

/** `SEEDS=5`: the long form, with five times the examples. */
const SEEDS = Number(process.env['SEEDS'] ?? 1)
const EXAMPLES = SEEDS > 1 ? 50 : 10

/** The parts of a schemathesis report that the check reads. */
interface Report {
  readonly complete: boolean
  readonly test_cases: { readonly generated: number }
  readonly failures: readonly { readonly type: string }[]
  readonly errors: readonly { readonly count: number }[]
}

function publicKey(): string {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  return Buffer.from(x, 'base64url').toString('base64')
}

/** Servers that answer in different ways. */
const SERVERS: Readonly<Record<string, (folder: string) => readonly string[]>> = {
  plain: () => ['--debug-mode'],
  tokens: tokenOptions,
  tenants: () => ['--multi-tenancy-enabled'],
  'a reader': () => ['--role', 'reader'],
  'two workers': () => ['--workers', '2'],
  'signatures required': () => ['--signature-enabled', '--signature-require', '--signature-trusted-keys', publicKey()],
}

/** Invalid values come from schemas with `not`, which the document never has; for some of these the tool finds no value. */
const OWN_LIMIT = /does not support a `not` whose complement is not spelled out/g

/** Seconds for an answer, so that only a request that hangs fails on a busy machine. */
export const REQUEST_TIMEOUT = '--request-timeout=120'

/** Its only body is of lines, which schemathesis cannot write: `tests/http/analysis.test.ts` sends odd ones. */
const UNSENDABLE = ['--exclude-path=/api/v1/rulesets/{name}/replay']

/** Runs schemathesis with a seed; throws with its findings that are not known. Gives the number of its requests. */
async function fuzz({ url, folder }: Server, seed: number, headers: readonly string[]): Promise<number> {
  const bin = await pythonPrograms()
  const report = join(folder, `report-${seed}.json`)
  const events = join(folder, `events-${seed}.ndjson`)
  const generation = [`--max-examples=${EXAMPLES}`, `--seed=${seed}`, '--no-shrink', '--suppress-health-check=all']
  const reports = [`--report-json-path=${report}`, `--report-ndjson-path=${events}`]
  const all = ['--checks=all', '--continue-on-failure', REQUEST_TIMEOUT, ...UNSENDABLE, ...reports]
  const args = ['run', `${url}/api/v1/openapi.json`, ...generation, ...all, ...headers.map((one) => `--header=${one}`)]
  const output = await run(join(bin, 'schemathesis'), args, { cwd: folder }).catch((error: unknown) => {
    // Any finding ends it with another code than 0.
    if (error instanceof CommandFailed) return error.output
    throw error
  })
  const { complete, failures, errors, test_cases: cases } = JSON.parse(readFileSync(report, 'utf8')) as Report
  const findings = await findingsIn(events)
  const unread = failures.filter(({ type }) => !findings.some((found) => found.type === type))
  assert.deepEqual(unread, [], 'each failure has its requests in the report of events')
  const unknown = findings.filter((found) => !KNOWN_FINDINGS.some((known) => isOfKind(found, known))).map(shown)
  const failed = errors.reduce((sum, { count }) => sum + count, -(output.match(OWN_LIMIT)?.length ?? 0))
  assert(complete && failed === 0 && unknown.length === 0, `seed ${seed}: ${unknown.join('\n')}\n${output}`)
  return cases.generated
}

function isOfKind(found: Finding, { type, operations, is }: KnownFinding): boolean {
  return type === found.type && operations.includes(found.operation) && is(found)
}

function shown({ type, operation, status, message, url, headers, sent, answer }: Finding): string {
  const request = `${url} ${JSON.stringify(headers)} ${JSON.stringify(sent)}`
  return `${type}: ${operation}: ${message}\n  sent ${request}\n  answered ${status} ${JSON.stringify(answer)}`
}

/** All checks of schemathesis against servers with different options. */
export const FUZZ: readonly Check[] = Object.entries(SERVERS).map(([name, options]) => ({
  name: `schemathesis: ${name}`,
  run: () =>
    withServer(options, async (server) => {
      const headers = options === tokenOptions ? [`Authorization: Bearer ${TOKEN}`] : []
      let requests = 0
      for (let seed = 1; seed <= SEEDS; seed++) requests += await fuzz(server, seed, headers)
      const defects = server.log().filter((line) => line.includes('"level":"error"'))
      assert.deepEqual(defects, [], 'the server logged errors')
      return `${requests} requests, seeds 1 to ${SEEDS}; findings that are not known: none`
    }),
}))
