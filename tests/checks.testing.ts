import { type Check, LeftOut } from './clients/check.ts'
import { left } from './clients/command.ts'

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

/**
 * Run checks and print a line for each: the result, the error, or the reason for leaving it out. Sets the exit code.
 *
 * @param words only checks run whose names contain all of them
 * @param concurrency checks at a time
 */
export async function runChecks(
  checks: readonly Check[],
  words: readonly string[],
  concurrency: number,
): Promise<void> {
  const wanted = checks.filter(({ name }) => words.every((word) => name.includes(word)))
  const waiting = wanted.values()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const check of waiting) await attempt(check)
    }),
  )
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts['left out']} left out\n`)
  if (counts.failed > 0 || wanted.length === 0) process.exitCode = 1
}
