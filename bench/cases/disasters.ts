import { setTimeout as wait } from 'node:timers/promises'
import { Callers } from '../disasters/callers.ts'
import { ChangeLog } from '../disasters/change-log.ts'
import { awaitWrites, type Fault, FAULTS } from '../disasters/faults.ts'
import { type DatabaseKind, World } from '../disasters/world.ts'
import { median, table } from '../measure.ts'

/** `DISASTER_ROUNDS=18 npm run bench -- disasters` makes fewer rounds, `DISASTER_FAULTS=hang` those of some faults. */
const { DISASTER_ROUNDS = '200', DISASTER_FAULTS = '' } = process.env
const PAUSE_BETWEEN_WRITES_MS = 40

interface Round {
  readonly fault: string
  readonly acknowledged: number
  readonly lost: readonly string[]
  /** Milliseconds from the end of the fault until writes are acknowledged and all engines decide by the last one. */
  readonly recoveryMs: number
  readonly slowestDecisionMs: number
}

interface Outcome {
  readonly rounds: readonly Round[]
  readonly decisions: number
  readonly excused: number
  readonly failures: readonly string[]
  readonly refused: ReadonlyMap<number, number>
  readonly unanswered: number
}

/**
 * Kills, hung engines, lost databases, full disks and restores, while one writer saves and publishes and six callers
 * request decisions. Checks that no acknowledged save is lost, that engines use the last published content, and that
 * only decisions that needed the failed part fail.
 */
export async function disasters(): Promise<void> {
  const chosen = FAULTS.filter(({ name }) => name.includes(DISASTER_FAULTS))
  const rounds = Array.from({ length: Number(DISASTER_ROUNDS) }, (_, at) => chosen[at % chosen.length]).filter(
    (fault) => fault !== undefined,
  )
  const outcomes: Outcome[] = []
  for (const kind of ['server', 'embedded'] as const) {
    const those = rounds.filter(({ database }) => database === kind)
    if (those.length > 0) outcomes.push(await run(kind, those))
  }
  report(outcomes)
}

async function run(kind: DatabaseKind, faults: readonly Fault[]): Promise<Outcome> {
  const world = await World.start(kind)
  try {
    const log = new ChangeLog(world)
    for (let published = 0; published < 3;) if (await log.write()) published++
    await log.awaitEngines()
    const callers = new Callers(world, log)
    const rounds: Round[] = []
    try {
      for (const fault of faults) rounds.push(await oneRound(world, log, callers, fault))
    } finally {
      await callers.stop()
    }
    const lost = await log.lostSince(0)
    if (lost.length > 0) console.log(`lost at the end: ${lost.join(', ')}`)
    const { decisions, excused, failures } = callers
    return { rounds, decisions, excused, failures, refused: log.refused, unanswered: log.unanswered }
  } finally {
    await world.stop()
  }
}

async function oneRound(world: World, log: ChangeLog, callers: Callers, fault: Fault): Promise<Round> {
  const first = log.acknowledged
  const writing = startWriting(log)
  await awaitWrites(() => log.acknowledged)
  callers.takeSlowest()
  callers.beginFault(fault.name, fault.takes)
  await fault.run(world, log)
  const ended = performance.now()
  callers.endFault()
  await awaitWrites(() => log.acknowledged)
  await writing.stop()
  await log.awaitEngines()
  const recoveryMs = performance.now() - ended
  const since = Math.min(first, log.acknowledged)
  const round = {
    fault: fault.name,
    acknowledged: log.acknowledged - since,
    lost: await log.lostSince(since),
    recoveryMs,
    slowestDecisionMs: callers.takeSlowest(),
  }
  const { acknowledged, lost, slowestDecisionMs } = round
  const figures = `recovered in ${recoveryMs.toFixed(0)} ms, slowest decision ${slowestDecisionMs.toFixed(0)} ms`
  console.error(
    `${new Date().toISOString()} ${fault.name}: ${acknowledged} saves, ${lost.length} lost, ${callers.failures.length} failures so far, ${figures}`,
  )
  return round
}

function startWriting(log: ChangeLog): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const loop = async () => {
    while (!stopping.signal.aborted) {
      await log.write()
      await wait(PAUSE_BETWEEN_WRITES_MS)
    }
  }
  const ended = loop()
  return {
    stop() {
      stopping.abort()
      return ended
    },
  }
}

function report(outcomes: readonly Outcome[]): void {
  const rounds = outcomes.flatMap((outcome) => outcome.rounds)
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  table(
    [
      'disaster',
      'rounds',
      'acknowledged saves',
      'lost',
      'recovery ms, median',
      'most',
      'slowest decision ms, median',
      'most',
    ],
    Array.from(
      Map.groupBy(rounds, ({ fault }) => fault),
      ([fault, those]) => [
        fault,
        String(those.length),
        String(sum(those.map(({ acknowledged }) => acknowledged))),
        String(sum(those.map(({ lost }) => lost.length))),
        median(those.map(({ recoveryMs }) => recoveryMs)),
        Math.max(...those.map(({ recoveryMs }) => recoveryMs)),
        median(those.map(({ slowestDecisionMs }) => slowestDecisionMs)),
        Math.max(...those.map(({ slowestDecisionMs }) => slowestDecisionMs)),
      ],
    ),
  )
  const failures = outcomes.flatMap((outcome) => outcome.failures)
  const lost = rounds.flatMap((round) => round.lost)
  const refused = outcomes.map((outcome) =>
    Array.from(outcome.refused, ([status, count]) => `${status}: ${count}`).join(', '),
  )
  console.log(
    `\n${rounds.length} rounds, ${sum(outcomes.map(({ decisions }) => decisions))} decisions, ` +
      `${failures.length} refused that did not need what was gone, ${sum(outcomes.map(({ excused }) => excused))} that did; ` +
      `${lost.length} acknowledged saves lost; writes refused by status: ${refused.join('; ') || 'none'}, ` +
      `without an answer: ${sum(outcomes.map(({ unanswered }) => unanswered))}`,
  )
  for (const failure of [...lost, ...failures].slice(0, 50)) console.log(`- ${failure}`)
  const unexplained = sum(outcomes.map((outcome) => outcome.refused.get(500) ?? 0))
  if (lost.length + failures.length + unexplained > 0) process.exitCode = 1
}
