import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { discountDocument } from '../documents.ts'
import { median, table } from '../measure.ts'
import { startEngine } from '../servers.ts'

const RULESETS = 10_000
const ROUNDS = 5

/** Start with 10,000 stored rulesets: time until the first request is answered, and memory a ruleset. */
export async function start(): Promise<void> {
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
