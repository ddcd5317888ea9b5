import { existsSync, readFileSync } from 'node:fs'

/** The settings of a test process. */
export interface SwitchSettings {
  /** The file to which they write their steps. */
  readonly log: string
  /** Tests that take longer are left out, in milliseconds. */
  readonly maxMs: number
  /** Tests that one mistake may pass. */
  readonly maxTries: number
  /** A mistake that is on while sources are loaded; all others are tried in one process. */
  readonly active?: number
}

/** One line of the log. Each names its test. */
export type SwitchStep = { readonly test: string } & (
  | { readonly outside: readonly number[] }
  | { readonly unfit: string }
  | { readonly slow: number }
  | { readonly covered: readonly number[]; readonly ms: number }
  | { readonly try: number }
  | { readonly noticed: number; readonly by: 'test' | 'loop' | 'limit' }
  | { readonly spoilt: number }
  | { readonly done: true }
)

/** The results so far. */
export interface SwitchResults {
  /** By the mistake: the test, and how it noticed. */
  readonly noticed: ReadonlyMap<number, { readonly test: string; readonly by: 'test' | 'loop' | 'limit' }>
  /** Mistakes that a test has tried. */
  readonly tried: ReadonlyMap<string, ReadonlySet<number>>
  /** Tests that fail without a mistake, or that cannot run twice. */
  readonly unfit: ReadonlySet<string>
  /** Tests that were left out, and how long they take, in milliseconds. */
  readonly slow: ReadonlyMap<string, number>
  readonly covered: ReadonlySet<number>
  readonly outside: ReadonlySet<number>
  /** The mistake whose test has not ended. */
  readonly last: { readonly test: string; readonly id: number } | undefined
}

export function readSteps(file: string): SwitchResults {
  const noticed = new Map<number, { test: string; by: 'test' | 'loop' | 'limit' }>()
  const tried = new Map<string, Set<number>>()
  const unfit = new Set<string>()
  const slow = new Map<string, number>()
  const covered = new Set<number>()
  const outside = new Set<number>()
  let last: SwitchResults['last']
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  for (const line of lines) {
    if (line === '') continue
    const step = JSON.parse(line) as SwitchStep
    last = undefined
    if ('try' in step) {
      last = { test: step.test, id: step.try }
      const those = tried.get(step.test) ?? new Set()
      tried.set(step.test, those.add(step.try))
    }
    if ('noticed' in step) noticed.set(step.noticed, { test: step.test, by: step.by })
    if ('unfit' in step) unfit.add(step.test)
    if ('slow' in step) slow.set(step.test, step.slow)
    if ('covered' in step) for (const id of step.covered) covered.add(id)
    if ('outside' in step) for (const id of step.outside) outside.add(id)
  }
  return { noticed, tried, unfit, slow, covered, outside, last }
}
