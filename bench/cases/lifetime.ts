import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MixedRequests } from '../../tests/lifecycle/mixed-requests.testing.ts'
import { memoryOf } from '../memory.ts'
import { startEngine } from '../servers.ts'

const REQUESTS = Number(process.env['REQUESTS'] ?? 1_000_000)
const ROUNDS = 10

/** One server that lives through a million mixed requests: memory, open files, threads, counters and answers by tenths. */
export async function lifetime(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'engine-lifetime-'))
  const server = await startEngine('--rules-dir', directory, '--max-versions', '3', '--grpc-addr', '127.0.0.1:0')
  const requests = new MixedRequests(server.url, server.grpc)
  try {
    const begin = await requests.counters()
    await requests.prepare()
    const first = await requests.answers()
    console.log('| requests | a second | memory, MiB | open files | threads |\n|---|---|---|---|---|')
    for (let round = 0; round < ROUNDS; round++) {
      const [from, to] = [round, round + 1].map((part) => Math.round((REQUESTS * part) / ROUNDS)) as [number, number]
      const start = performance.now()
      await requests.send(from, to)
      const rate = Math.round(((to - from) / (performance.now() - start)) * 1000)
      const memory = Math.round(memoryOf(server.process.pid)?.now ?? 0)
      console.log(`| ${to} | ${rate} | ${memory} | ${await entries('fd')} | ${await entries('task')} |`)
    }
    await requests.prepare()
    const last = await requests.answers()
    const { sent } = requests
    const end = await requests.counters()
    const isCounted =
      end.http - begin.http === sent.http && end.grpc === sent.grpc && end.executions === sent.executions
    const isSame = JSON.stringify(first) === JSON.stringify(last)
    console.log(`\ncounters ${isCounted ? 'equal' : 'differ'}, answers ${isSame ? 'equal' : 'differ'}`)
    if (!isCounted || !isSame) process.exitCode = 1
  } finally {
    requests.close()
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }

  async function entries(kind: 'fd' | 'task'): Promise<number> {
    return (await readdir(`/proc/${server.process.pid}/${kind}`)).length
  }
}
