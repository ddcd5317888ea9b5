import { clusterRun, FAULT_NAMES, type Round } from '../../tests/sync/cluster-rounds.testing.ts'
import { killAllNats } from '../../tests/sync/nats.testing.ts'
import { killAll } from '../../tests/engine-server.testing.ts'
import { table } from '../measure.ts'

/** `SYNC_ROUNDS=5 npm run bench -- sync-faults` makes fewer, `SYNC_FIRST` begins with another fault. */
const { SYNC_ROUNDS = '40', SYNC_FIRST = '0' } = process.env

/** A writer and three readers on three real servers under faults: checks for losses, regressions and delays. */
export async function syncFaults(): Promise<void> {
  const faults = Array.from({ length: Number(SYNC_ROUNDS) }, (_, at) => (Number(SYNC_FIRST) + at) % FAULT_NAMES.length)
  const told = ({ fault, changes, brokersMs, alikeMs, late }: Round) =>
    console.error(
      `${new Date().toISOString()} ${fault}: ${changes} changes, servers there after ${brokersMs} ms, readers ${alikeMs} ms after that\n${late}`.trim(),
    )
  try {
    const { rounds, acknowledged, unanswered, reads, violations, failures } = await clusterRun({
      faults,
      seed: 1,
      told,
    })
    const kinds = Map.groupBy(rounds, ({ fault }) => fault)
    table(
      ['fault', 'changes', 'servers have leaders after, ms', 'readers have all changes after that, ms'],
      Array.from(kinds, ([fault, those]) => [
        fault,
        String(those.reduce((sum, { changes }) => sum + changes, 0)),
        those.map(({ brokersMs }) => brokersMs).join(', '),
        those.map(({ alikeMs }) => alikeMs).join(', '),
      ]),
    )
    const worst = Math.max(...rounds.map(({ alikeMs }) => alikeMs))
    console.log(
      `\n${rounds.length} rounds, ${acknowledged} changes acknowledged, ${unanswered} unanswered, ${reads} looks at readers: ` +
        `${violations.length} lost or backwards, worst ${worst} ms`,
    )
    for (const one of [...violations, ...failures]) console.log(`- ${one}`)
    if (violations.length + failures.length > 0 || worst >= 10_000) process.exitCode = 1
  } finally {
    await killAll()
    await killAllNats()
  }
}
