import {
  Budget,
  equal,
  type Expression,
  makeFunction,
  NO_SPAN,
  stringifyJson,
  type Value,
  quote,
} from '@engine/expression'
import {
  ANY_OPERATION,
  createProgram,
  type Decision,
  type Host,
  type Inspection,
  inspect,
  type Program,
  type Ruleset,
} from '@engine/ruleset'
import { performance } from 'node:perf_hooks'
import type { Case, Expectation } from './cases.ts'

/** How a case went. */
export interface CaseResult {
  readonly name: string
  /** Unmet expectations, one line each; empty: the case passed. */
  readonly failures: readonly string[]
  /** Milliseconds. */
  readonly duration: number
  readonly inspection: Inspection
}

/**
 * Run a case, with nothing of the outside: calls are answered by its stubs, and rulesets that are called are looked for
 * among those of the check.
 */
export async function runCase(ruleset: Ruleset, one: Case, others: ReadonlyMap<string, Ruleset>): Promise<CaseResult> {
  const begin = performance.now()
  const inspection = await inspect(ruleset, hostOf(one, others), one.input)
  const duration = performance.now() - begin
  return { name: one.name, failures: differences(one.expect, inspection), duration, inspection }
}

function hostOf(one: Case, others: ReadonlyMap<string, Ruleset>): Host {
  const programs = new Map<string, Program>()
  const host: Host = {
    rulesets: {
      resolve: (name) => {
        const ruleset = others.get(name)
        if (ruleset === undefined) return undefined
        const known = programs.get(name) ?? createProgram(ruleset, host)
        programs.set(name, known)
        return known
      },
      generation: 0,
    },
    capabilities: stubbed(one),
    log: () => undefined,
    metric: () => undefined,
    callFailed: () => undefined,
    monotonic: () => performance.now(),
    now: () => one.now ?? Date.now(),
    makeFunction,
    limit: () => ({ signal: new AbortController().signal, dispose: () => undefined }),
    pause: undefined,
  }
  return host
}

/** In the place of every service: it answers what the stubs `service.method` say, and nothing else. */
function stubbed({ stubs }: Case): Host['capabilities'] {
  return {
    get: (name) => ({
      name,
      operations: [ANY_OPERATION],
      async call({ operation }) {
        const payload = stubs.get(`${name}.${operation}`)
        if (payload === undefined) throw new Error('no stub')
        return { payload, metadata: { stub: 'true' } }
      },
    }),
  }
}

function differences(expect: Expectation, { result, error }: Inspection): readonly string[] {
  if (error !== undefined) {
    if (expect.error !== undefined && error.message.includes(expect.error)) return []
    return [
      `it failed: ${error.message}${expect.error === undefined ? '' : `; expected a failure with ${quote(expect.error)}`}`,
    ]
  }
  if (expect.error !== undefined)
    return [`expected a failure with ${quote(expect.error)}, found ${shown(result?.code)}`]
  return (['code', 'message', 'output'] as const).flatMap((key) => differenceIn(key, expect, result))
}

function differenceIn(key: 'code' | 'message' | 'output', expect: Expectation, result: Decision | undefined): string[] {
  const wanted = expect[key]
  const found = result?.[key]
  if (wanted === undefined || (found !== undefined && equal(Budget.endless(), wanted, found, NOWHERE))) return []
  return [`${key}: expected ${shown(wanted)}, found ${shown(found)}`]
}

/** Where values that are too deep to be compared would be reported: there is no expression here. */
const NOWHERE: Expression = { kind: 'literal', value: null, span: NO_SPAN }

function shown(value: Value | undefined): string {
  return value === undefined ? 'nothing' : stringifyJson(value)
}
