import { makeFunction } from '@engine/expression'
import type { Host, Program } from './program.ts'

/** A host for tests: records the effects of rules, resolves the given rulesets, and has its own clock. */
export interface TestHost extends Host {
  readonly effects: unknown[]
  readonly programs: Map<string, Program>
}

export function testHost(overrides: Partial<Host> = {}): TestHost {
  const effects: unknown[] = []
  const programs = new Map<string, Program>()
  let time = 0
  return {
    rulesets: { resolve: (name) => programs.get(name), generation: 0 },
    capabilities: { get: () => undefined },
    log: (entry) => effects.push(['log', entry]),
    metric: (entry) => effects.push(['metric', entry]),
    callFailed: (entry) => effects.push(['call failed', entry]),
    monotonic: () => (time += 0.001),
    now: () => 1_763_600_000_000,
    makeFunction,
    limit: () => ({ signal: new AbortController().signal, dispose: () => undefined }),
    pause: undefined,
    ...overrides,
    effects,
    programs,
  }
}
