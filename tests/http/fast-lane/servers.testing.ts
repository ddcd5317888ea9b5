import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adultCheck, startServer, type TestServer } from '../server.testing.ts'

/** A server, and where streams reach it: over TCP if it has no socket. */
export interface Side extends TestServer {
  readonly socketPath: string | undefined
}

/** `guarded`: with tokens and tenants. `socket`: over a Unix socket, which gRPC shares. */
export type PairKind = 'open' | 'guarded' | 'socket'

/** Servers with the same rules and options, one of which answers everything by `node:http`. */
export interface Pair {
  readonly fast: Side
  readonly plain: Side
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

export async function startPair(kind: PairKind): Promise<Pair> {
  const directory = mkdtempSync(join(tmpdir(), 'engine-fast-lane-'))
  const tokens = join(directory, 'tokens')
  const lines = Object.entries(TOKENS).map(([scope, token]) => {
    return `${scope}:${scope === 'execute' ? 'execute,write' : scope}:${createHash('sha256').update(token).digest('hex')}`
  })
  writeFileSync(tokens, lines.join('\n'))
  const guards = kind === 'guarded' ? ['--api-tokens-file', tokens, '--multi-tenancy-enabled'] : []
  const start = async (name: string, ...options: readonly string[]): Promise<Side> => {
    const socketPath = kind === 'socket' ? join(directory, `${name}.sock`) : undefined
    const place = socketPath === undefined ? [] : ['--uds-path', socketPath, '--grpc-addr', '127.0.0.1:0']
    const server = await startServer('--max-request-body-bytes', '32768', ...guards, ...place, ...options)
    for (const document of [adultCheck(), LARGE, FAILING, WARNING]) {
      const headers = { authorization: `Bearer ${TOKENS.execute}` }
      const { status, text } = await server.post('/api/v1/rulesets', document, headers)
      if (status !== 201) throw new Error(text)
    }
    return { ...server, socketPath }
  }
  const [fast, plain] = [await start('fast'), await start('plain', '--fast-lane=false')]
  return {
    fast,
    plain,
    async stop() {
      await Promise.all([fast.stop(), plain.stop()])
      rmSync(directory, { recursive: true })
    },
  }
}
