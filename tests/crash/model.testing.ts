import type { RulesetDocument } from '@engine/ruleset'

/** The rulesets that are written to, all at the same time. */
export const NAMES = ['alpha', 'beta', 'gamma', 'delta'] as const

/** A ruleset that is written in more than one piece and contains its version in every part. */
export function documentOf(name: string, version: string): RulesetDocument {
  return {
    config: { name, version, entry_step: 'end', metadata: { filling: version.padEnd(20_000, '.') } },
    steps: { end: { id: 'end', type: 'terminal', result: { code: 'OK', message: version } } },
  }
}

/** A client's knowledge of one ruleset. */
interface Known {
  /** Its version when the round began; undefined: absent. */
  current: string | undefined
  /** Replaced contents, oldest first. */
  history: string[]
}

interface Operation {
  readonly id: number
  readonly kind: 'put' | 'rollback' | 'delete'
  readonly version?: string
  done: boolean
}

/** Compares the files after a crash with the changes that were acknowledged before it. */
export class Model {
  readonly #known = new Map<string, Known>(NAMES.map((name) => [name, { current: undefined, history: [] }]))
  #operations = new Map<string, Operation[]>()
  #byId = new Map<number, Operation>()
  /** The number of the next operation. */
  next = 0
  acknowledged = 0

  hear(line: string): void {
    const said = JSON.parse(line) as {
      begin?: number
      done?: number
      name?: string
      kind?: Operation['kind']
      version?: string
    }
    if (said.begin !== undefined && said.name !== undefined && said.kind !== undefined) {
      const operation: Operation = {
        id: said.begin,
        kind: said.kind,
        done: false,
        ...(said.version === undefined ? {} : { version: said.version }),
      }
      this.#operations.set(said.name, [...(this.#operations.get(said.name) ?? []), operation])
      this.#byId.set(said.begin, operation)
      this.next = Math.max(this.next, said.begin + 1)
    }
    const finished = said.done === undefined ? undefined : this.#byId.get(said.done)
    if (finished !== undefined) {
      finished.done = true
      this.acknowledged++
    }
  }

  /** Why a state is impossible; undefined: it is possible, and becomes the start of the next round. */
  check(name: string, current: string | undefined, history: readonly string[]): string | undefined {
    const known = this.#known.get(name) as Known
    const operations = this.#operations.get(name) ?? []
    const acknowledged = operations.findLastIndex(({ done }) => done) + 1
    const possible: Known[] = []
    let state: Known = known
    for (let count = 0; count <= operations.length; count++) {
      if (count >= acknowledged) possible.push(state)
      const operation = operations[count]
      if (operation !== undefined) state = after(state, operation)
    }
    const isPossible = possible.some(
      (candidate) => candidate.current === current && isHistory(candidate, history, current),
    )
    this.#known.set(name, { current, history: [...history] })
    this.#operations.delete(name)
    return isPossible
      ? undefined
      : `${name} is ${current} with ${history.join(' ')}; possible: ${JSON.stringify(possible.map(({ current: at, history: of }) => [at, of.slice(-3)]))}`
  }
}

function after({ current, history }: Known, { kind, version }: Operation): Known {
  const replaced = current === undefined ? history : [...history, current]
  return { current: kind === 'delete' ? undefined : version, history: replaced }
}

/** The version is on disk before the new content is, so a crash in between leaves one that is still current. */
function isHistory(candidate: Known, history: readonly string[], current: string | undefined): boolean {
  const expected = candidate.history.join(' ')
  return (
    history.join(' ') === expected ||
    (current !== undefined && history.join(' ') === [...candidate.history, current].join(' '))
  )
}
