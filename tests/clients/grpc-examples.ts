import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { endless } from '../http/server.testing.ts'
import type { Check } from './check.ts'
import { ROOT, run } from './command.ts'
import { type Server, TOKEN, tokenOptions, withServer } from './server.ts'
import { go, goProgram, maven, pythonPrograms, requireInstalled } from './tools.ts'

const EXAMPLES = join(ROOT, 'docs/clients/grpc')
const PROTO = join(ROOT, 'packages/api/proto')

/** What each example prints; statuses as its library writes them. */
const linesWith = (deadline: string, missing: string) => `one VIP_GOLD_PLUS
batch VIP_GOLD_PLUS STANDARD
stream 0 VIP_GOLD_PLUS
stream 1 error
stream 2 STANDARD
error ${deadline}
error ${missing}
health SERVING
`

type Env = Readonly<Record<string, string>>

/** Runs an action with a server that requires a token. */
const withTokens = (name: string, use: (server: Server, env: Env) => Promise<string>): Check => ({
  name: `gRPC: ${name}`,
  run: () => withServer(tokenOptions, (server) => use(server, { ENGINE_GRPC: server.grpc, ENGINE_TOKEN: TOKEN })),
})

const SEEN = 'one call, a batch, a stream, a deadline, an error, health'

/** `protoc`, as it comes with grpcio-tools. */
async function protoc(args: readonly string[], path = ''): Promise<void> {
  const bin = await pythonPrograms()
  const env = { PATH: `${path}${delimiter}${process.env['PATH'] ?? ''}` }
  await run(join(bin, 'python'), ['-m', 'grpc_tools.protoc', '-I', PROTO, ...args, 'engine.proto'], { env })
}

/** A ruleset that takes longer than its caller waits. */
async function storeEndless(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const body = JSON.stringify(endless('endless', { timeout_ms: 3000 }))
  const response = await fetch(`${url}/api/v1/rulesets`, { method: 'POST', headers, body })
  assert.equal(response.status, 201, await response.text())
}

export const GRPC_EXAMPLES: readonly Check[] = [
  withTokens('Python, grpcio', async ({ folder }, env) => {
    const bin = await pythonPrograms()
    cpSync(join(EXAMPLES, 'python'), folder, { recursive: true })
    await protoc([`--python_out=${folder}`, `--grpc_python_out=${folder}`])
    const output = await run(join(bin, 'python'), [join(folder, 'client.py')], { env })
    assert.equal(output, linesWith('DEADLINE_EXCEEDED', 'NOT_FOUND'))
    return SEEN
  }),

  withTokens('Go, grpc-go', async ({ folder }, env) => {
    await go(['version'], folder)
    const plugins = [await goProgram('protoc-gen-go'), await goProgram('protoc-gen-go-grpc')]
    const program = join(folder, 'client')
    cpSync(join(EXAMPLES, 'go'), program, { recursive: true })
    const options = 'module=example,Mengine.proto=example/enginepb'
    const types = [`--go_out=${program}`, `--go_opt=${options}`]
    const services = [`--go-grpc_out=${program}`, `--go-grpc_opt=${options}`]
    await protoc([...types, ...services], plugins.map((plugin) => dirname(plugin)).join(delimiter))
    await go(['build', '-o', 'client', '.'], program)
    const output = await run(join(program, 'client'), [], { env })
    assert.equal(output, linesWith('DeadlineExceeded', 'NotFound'))
    return SEEN
  }),

  withTokens('Java, grpc-java', async ({ folder }, env) => {
    const program = join(folder, 'client')
    cpSync(join(EXAMPLES, 'java'), program, { recursive: true })
    await maven([`-Dproto.folder=${PROTO}`, 'compile'], program)
    const paths = [join(program, 'target/classes'), join(program, 'target/dependency/*')].join(delimiter)
    const output = await run('java', ['-cp', paths, 'Client'], { env })
    assert.equal(output, linesWith('DEADLINE_EXCEEDED', 'NOT_FOUND'))
    return SEEN
  }),

  withTokens('grpcurl', async ({ grpc, url }) => {
    const program = await goProgram('grpcurl')
    const header = ['-H', `authorization: Bearer ${TOKEN}`]
    const input = JSON.stringify({
      name: 'vip-discount',
      input_json: '{"customer": {"tier": "gold", "years": 6}, "order": {"total": 240}}',
    })
    const execute = ['-d', input, grpc, 'engine.EngineService/Execute']
    const file = ['-import-path', PROTO, '-proto', 'engine.proto']
    // With the file, and by reflection.
    for (const source of [file, []]) {
      const answer = await run(program, ['-plaintext', ...source, ...header, ...execute])
      assert.equal((JSON.parse(answer) as { readonly code: string }).code, 'VIP_GOLD_PLUS')
    }
    const services = await run(program, ['-plaintext', grpc, 'list'])
    assert.match(services, /^engine\.EngineService$/m)
    const described = await run(program, ['-plaintext', grpc, 'describe', 'engine.EngineService'])
    assert.match(described, /rpc ExecuteStream/)
    const health = await run(program, ['-plaintext', grpc, 'grpc.health.v1.Health/Check'])
    assert.match(health, /"SERVING"/)
    await storeEndless(url)
    const patience = ['-max-time', '0.5', ...header, '-d', '{"name": "endless", "input_json": "{}"}']
    const late = run(program, ['-plaintext', ...patience, grpc, 'engine.EngineService/Execute'])
    await assert.rejects(late, /DeadlineExceeded/)
    return 'calls by the file and by reflection, lists and describes services, health, a deadline that passes'
  }),
]

export const NATS_READER: Check = {
  name: 'example: NATS reader, Python',
  run: async () => {
    await requireInstalled('Python', 'python3', '--version')
    await run('npx', ['vitest', 'run', 'tests/sync/other-language.test.ts'])
    return 'has the digest that the writer shows'
  },
}
