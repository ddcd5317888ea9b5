import { killAll } from '../engine-server.testing.ts'
import { type Check, LeftOut } from './check.ts'
import { left } from './command.ts'
import { HTTP_EXAMPLES } from './examples.ts'
import { FUZZ } from './fuzz.ts'
import { GRPC_EXAMPLES, NATS_READER } from './grpc-examples.ts'
import { GENERATED } from './generated/generated.ts'
import { LINTERS } from './linters.ts'

/**
 * Drives servers of this repository with the clients and tools of others, and prints a line for each: what was seen, what
 * failed, or why it was omitted. `npm run test:clients go` runs those whose name contains `go`, and with `MINUTES=8` what has
 * not ended by then is omitted.
 */
const CHECKS: readonly Check[] = [...LINTERS, ...GENERATED, ...HTTP_EXAMPLES, ...GRPC_EXAMPLES, NATS_READER, ...FUZZ]

/** Most of a check is waiting for a compiler that uses one core or a registry. */
const CONCURRENCY = 2

const wanted = CHECKS.filter(({ name }) => process.argv.slice(2).every((word) => name.includes(word)))
const counts = { passed: 0, failed: 0, 'left out': 0 }

function say(word: keyof typeof counts, name: string, text: string): void {
  counts[word]++
  process.stdout.write(`${word.padEnd(9)} ${name}: ${text}\n`)
}

async function attempt({ name, run }: Check): Promise<void> {
  const begin = performance.now()
  try {
    if (left() <= 0) throw new LeftOut('the time of the run is over')
    const seen = await run()
    say('passed', name, `${seen} (${((performance.now() - begin) / 1000).toFixed(0)} s)`)
  } catch (error) {
    if (error instanceof LeftOut) say('left out', name, error.message)
    else if (left() <= 0) say('left out', name, 'the time of the run passed before its end')
    else say('failed', name, error instanceof Error ? error.message : String(error))
  }
}

const waiting = wanted.values()
try {
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const check of waiting) await attempt(check)
    }),
  )
} finally {
  await killAll()
}
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts['left out']} left out\n`)
if (counts.failed > 0 || wanted.length === 0) process.exitCode = 1
