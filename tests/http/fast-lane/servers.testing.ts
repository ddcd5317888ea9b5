import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adultCheck, startServer, type TestServer } from '../server.testing.ts'

/** Servers with the same rules and options, one of which answers everything by `node:http`. */
export interface Pair {
  readonly fast: TestServer
  readonly plain: TestServer
  stop(): Promise<void>
}

/** The tokens of a pair with tokens, by their scopes. */
export const TOKENS = { execute: 'a-token-that-executes', read: 'a-token-that-reads' } as const

/** Ruleset whose answers are large: each has a text of 10,000 characters. */
const LARGE = adultCheck({
  config: { name: 'large' },
  steps: { no: { id: 'no', name: 'Large', type: 'terminal', result: { code: 'LARGE', message: 'é'.repeat(10_000) } } },
})
/** Ruleset that fails for an `age` of 0. */
const FAILING = {
  config: { name: 'failing', version: '1.0.0', entry_step: 'yes' },
  steps: { yes: { id: 'yes', type: 'terminal', result: { code: 'É', message: 'x', output: [['q', '1 / age']] } } },
}
/** Ruleset with a contract that warns. */
const WARNING = adultCheck({
  config: {
    name: 'warning',
    contract: {
      mode: 'warn',
      contract: {
        name: 'warning',
        version: '1.0.0',
        input: { fields: [{ name: 'age', type: 'integer', required: true }] },
        outputs: [],
      },
    },
  },
})

export async function startPair(hasTokens: boolean): Promise<Pair> {
  const directory = mkdtempSync(join(tmpdir(), 'engine-fast-lane-'))
  const tokens = join(directory, 'tokens')
  const lines = Object.entries(TOKENS).map(([scope, token]) => {
    return `${scope}:${scope === 'execute' ? 'execute,write' : scope}:${createHash('sha256').update(token).digest('hex')}`
  })
  writeFileSync(tokens, lines.join('\n'))
  const options = hasTokens ? ['--api-tokens-file', tokens, '--multi-tenancy-enabled'] : []
  const start = async (...more: readonly string[]) => {
    const server = await startServer('--max-request-body-bytes', '32768', ...options, ...more)
    for (const document of [adultCheck(), LARGE, FAILING, WARNING]) {
      const headers = { authorization: `Bearer ${TOKENS.execute}` }
      const { status, text } = await server.post('/api/v1/rulesets', document, headers)
      if (status !== 201) throw new Error(text)
    }
    return server
  }
  const [fast, plain] = [await start(), await start('--fast-lane=false')]
  return {
    fast,
    plain,
    async stop() {
      await Promise.all([fast.stop(), plain.stop()])
      rmSync(directory, { recursive: true })
    },
  }
}
