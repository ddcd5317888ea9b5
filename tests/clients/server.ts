import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { start } from '../engine-server.testing.ts'
import { ROOT } from './command.ts'
import { CACHE } from './tools.ts'

/** Where a server of this repository listens. */
export interface Server {
  readonly url: string
  /** Host and port. */
  readonly grpc: string
  /** An empty folder for files of the check, removed afterwards. */
  readonly folder: string
  /** The lines of its log until now. */
  log(): readonly string[]
}

/** The token of scope `admin` of a server that was started with `withTokens`. */
export const TOKEN = 'the-token-of-the-clients'

/** Options of a server that requires tokens. */
export function tokenOptions(folder: string): readonly string[] {
  const file = join(folder, 'tokens')
  writeFileSync(file, `clients:admin:${createHash('sha256').update(TOKEN).digest('hex')}\n`)
  return ['--api-tokens-file', file]
}

let servers = 0

/** Runs something with a server that has the example rulesets, on free ports of loopback, and stops it. */
export async function withServer<T>(
  options: (folder: string) => readonly string[],
  use: (server: Server) => Promise<T>,
): Promise<T> {
  const folder = join(CACHE, 'runs', `${process.pid}-${servers++}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const rules = ['--rules-dir', join(folder, 'rules'), '--seed-dir', join(ROOT, 'examples')]
  const server = await start(['--grpc-addr', '127.0.0.1:0', ...rules, ...options(folder)])
  try {
    const [, grpc = ''] = /(127\.0\.0\.1:\d+) \(gRPC\)/.exec(server.stdout()) ?? []
    return await use({ url: server.url, grpc, folder, log: () => server.stdout().split('\n') })
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
