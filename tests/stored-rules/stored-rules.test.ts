import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { createClient } from '../../packages/client/src/index.ts'
import { killAll, type RunningServer, start } from '../engine-server.testing.ts'
import { runTool } from '../programs.testing.ts'
import { REPLACED, SAMPLES } from './rulesets.testing.ts'

/**
 * What earlier versions have stored is served and decides as it did, also where a new ruleset of that content is refused. The
 * folders hold rules directories of released versions, as `make-stored-rules.ts` has made them.
 */

const scratch = mkdtempSync(join(tmpdir(), 'engine-stored-rules-'))
afterEach(killAll)
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

interface Recorded {
  readonly input: object
  readonly status: number
  readonly error?: string
}

const VERSIONS = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

let copies = 0
/** A copy of the rules directory of a version. */
function copyOf(version: string): string {
  const copy = join(scratch, String(copies++))
  cpSync(join(import.meta.dirname, version, 'rules'), copy, { recursive: true })
  return copy
}

const recorded = (version: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, version, 'decisions.json'), 'utf8')) as Record<string, Recorded>

async function post({ url }: RunningServer, path: string, body: unknown) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked at member by member
  return { status: response.status, body: (await response.json()) as any }
}

/** A recorded decision. The texts of failures may change. */
async function decided(server: RunningServer, name: string, { input }: Recorded): Promise<object> {
  const { status, body } = await post(server, `/execute/${name}`, { input })
  const { code, message, output, error } = body
  return { input, status, ...(status === 200 ? { code, message, output } : { error }) }
}

test('rules directories of earlier versions exist', () => {
  expect(VERSIONS).toContain('before-0.1.0')
})

describe.each(VERSIONS)('the rules directory of %s', (version) => {
  const decisions = recorded(version)
  const { replaced, ...served } = decisions
  if (replaced === undefined) throw new Error('a ruleset was replaced')

  test.each([
    ['one process', []],
    ['workers', ['--workers', '2']],
  ])('is served whole by %s, and decides as it did', async (_what, options) => {
    const server = await start(['--rules-dir', copyOf(version), ...options])
    const { storage } = (await (await fetch(`${server.url}/health`)).json()) as { storage: object }
    expect(storage).toMatchObject({ rules_count: Object.keys(decisions).length, rejected: [] })
    for (const [name, before] of Object.entries(served))
      expect([name, await decided(server, name, before)]).toEqual([name, before])
    // A version of the past can be brought back.
    expect((await post(server, '/rulesets/replaced/rollback', { seq: 1 })).status).toBe(200)
    expect(await decided(server, 'replaced', replaced)).toEqual(replaced)
  })

  test('is reported in the log with each place, and in the report of a backup', async () => {
    const directory = copyOf(version)
    const server = await start(['--rules-dir', directory])
    const told = server
      .stdout()
      .split('\n')
      .filter((line) => line.includes('a stored ruleset has expressions'))
      .map((line) => JSON.parse(line) as { ruleset: string; reasons: string[]; count: number })
    const strict = await refusedWhenNew(await start())
    expect(told.map(({ ruleset }) => ruleset).toSorted()).toEqual(
      [...strict.keys()].filter((name) => name !== 'replaced').toSorted(),
    )
    for (const { ruleset, reasons, count } of told)
      expect([count, reasons]).toEqual([reasons.length, strict.get(ruleset)])
    const { code, stdout, stderr } = await runTool(
      'engine-check',
      ['backup', directory, join(scratch, `b${copies++}`)],
      scratch,
    )
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${Object.keys(decisions).length} rulesets verified`)])
    expect(stderr.split('\n').filter((line) => line.startsWith('served, but refused in a new ruleset: '))).toHaveLength(
      told.reduce((sum, { count }) => sum + count, 0),
    )
  })

  test('is delivered to a client that decides by itself', async () => {
    const server = await start(['--rules-dir', copyOf(version)])
    const names = Object.keys(served)
    const client = createClient({ url: server.url, fallback: { rulesets: names } })
    await client.ready
    await server.stop()
    for (const [name, before] of Object.entries(served)) {
      if (before.status !== 200) continue
      const { code, output, source } = await client.execute(name, before.input as never)
      expect([name, { code, output, source }]).toEqual([
        name,
        expect.objectContaining({ ...pick(before), source: 'local' }),
      ])
    }
    await client.close()
  })
})

const pick = ({ code, output }: Recorded & { readonly code?: string; readonly output?: unknown }) => ({ code, output })

/** The reasons for which samples can no longer be stored, by their names. */
async function refusedWhenNew(server: RunningServer): Promise<ReadonlyMap<string, readonly string[]>> {
  const refused = new Map<string, readonly string[]>()
  for (const { document } of [...SAMPLES, REPLACED]) {
    const { name } = document.config
    const { status, body } = await post(server, '/rulesets', {
      ...document,
      config: { ...document.config, name: 'new' },
    })
    if (status === 400)
      refused.set(
        name,
        body.details.map(({ path, message }: Record<string, string>) => `\`${path}\` ${message}`),
      )
  }
  return refused
}
