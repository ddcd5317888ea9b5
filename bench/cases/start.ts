import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { discountDocument } from '../documents.ts'
import { median, table } from '../measure.ts'
import { startEngine, takeClientCore } from '../servers.ts'
import { put, requestsPerSecond } from './against-bare.ts'
import { CASES } from '../decisions.ts'

const RULESETS = 10_000
const ROUNDS = 5

/** Seconds of load before memory is measured, and of rest after it. */
const [LOAD_SECONDS, REST_SECONDS] = [30, 5] as const

/** Start with 10,000 stored rulesets: time until the first request is answered, and memory a ruleset; then memory after a load. */
export async function start(): Promise<void> {
  await startWithRulesets()
  await memoryAfterLoad()
}

async function startWithRulesets(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'))
  try {
    for (let index = 0; index < RULESETS; index++)
      writeFileSync(
        join(directory, `rule-${index}.json`),
        JSON.stringify(discountDocument(`rule-${index}`), undefined, 2),
      )
    const full: { readonly seconds: number[]; readonly kib: number[] } = { seconds: [], kib: [] }
    const empty: typeof full = { seconds: [], kib: [] }
    for (let round = 0; round < ROUNDS; round++) {
      await measure(empty)
      await measure(full, '--rules-dir', directory)
    }
    const perRuleset = (median(full.kib) - median(empty.kib)) / RULESETS
    table(
      ['rulesets', 'seconds to the first answer (bar 5)', 'memory, MiB', 'KiB a ruleset (bar 12)'],
      [
        ['0', median(empty.seconds), median(empty.kib) / 1024, '-'],
        [String(RULESETS), median(full.seconds), median(full.kib) / 1024, perRuleset],
      ],
    )
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Memory with gRPC, at rest and after executions of 1 kB and batches of 1,000. */
async function memoryAfterLoad(): Promise<void> {
  takeClientCore()
  const engine = await startEngine('--grpc-addr', '127.0.0.1:0')
  try {
    const { inputs } = CASES[1] ?? { inputs: [] }
    await put(engine, discountDocument('discount'))
    await delay(REST_SECONDS * 1000)
    const before = residentKib(engine.process.pid ?? 0)
    const path = `${engine.url}/api/v1/execute/discount`
    const single = JSON.stringify({ input: { ...inputs[9], note: 'x'.repeat(960) } })
    const batch = JSON.stringify({ inputs: Array.from({ length: 1000 }, (_, index) => inputs[index % inputs.length]) })
    for (let second = 0; second < LOAD_SECONDS; second += 2) {
      await requestsPerSecond(path, single)
      await requestsPerSecond(`${path}/batch`, batch)
    }
    await delay(REST_SECONDS * 1000)
    const after = residentKib(engine.process.pid ?? 0)
    table(
      ['memory, MiB', 'measured', 'bar'],
      [
        ['at rest', before / 1024, 100],
        [`after ${LOAD_SECONDS} s of load and ${REST_SECONDS} s of rest`, after / 1024, 160],
      ],
    )
  } finally {
    await engine.stop()
  }
}

async function measure(into: { seconds: number[]; kib: number[] }, ...options: readonly string[]): Promise<void> {
  const begin = performance.now()
  const engine = await startEngine(...options)
  const response = await fetch(`${engine.url}/api/v1/rulesets`)
  await response.text()
  into.seconds.push((performance.now() - begin) / 1000)
  into.kib.push(residentKib(engine.process.pid ?? 0))
  await engine.stop()
}

/** Resident memory of the server; `taskset` becomes the program it starts. */
function residentKib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN)
}
