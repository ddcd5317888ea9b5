import { asDoubles, CountedBudget, defined, isObject, type MakeFunction, type Value } from '@engine/expression'
import {
  type AbortSignalLike,
  ANY_OPERATION,
  createProgram,
  type Host,
  type Inspection,
  inspect,
  type Program,
  type Ruleset,
} from '@engine/ruleset'
import type { Problem } from '../problem.ts'
import type { Case } from './case.ts'
import { type CaseFailure, differences } from './compare.ts'

/** The result of a case. */
export interface CaseResult {
  readonly name: string
  /** Unmet expectations; empty when the case passed. */
  readonly failures: readonly CaseFailure[]
  /** Milliseconds. */
  readonly duration: number
  readonly inspection: Inspection
}

/** The environment of a run. */
export interface CaseHost {
  /** Epoch milliseconds. */
  now(): number
  /** Milliseconds with fractions. */
  monotonic(): number
  /** Undefined: interpret everything, for environments that forbid code generation. */
  readonly makeFunction: MakeFunction | undefined
  /** Lets other work run so that an execution can continue beyond its turn; without it, the execution fails there. */
  readonly pause?: () => Promise<void>
  /** For `call_ruleset`. */
  readonly rulesets?: ReadonlyMap<string, Ruleset>
}

/** Additional checks of a case. */
export interface CaseOptions {
  /** Problems of the input under the ruleset's contract. */
  readonly contract?: (input: Value) => readonly Problem[]
  /** The draft step of a converted step id. */
  readonly stepOf?: (id: string) => string
}

/** Run a case in isolation: calls are answered by its stubs. */
export async function runCase(
  ruleset: Ruleset,
  given: Case,
  host: CaseHost,
  { contract = () => [], stepOf = (id) => id }: CaseOptions = {},
): Promise<CaseResult> {
  const one = ruleset.config.numbers === 'double' ? caseOfDoubles(given) : given
  const begin = host.monotonic()
  const inspection = await inspect(ruleset, stubbedHost(one, host), one.input)
  const duration = host.monotonic() - begin
  const failures = [
    ...contract(one.input).map(({ message }) => ({ kind: 'contract' as const, message })),
    ...differences(one.expect, inspection, pathOf(inspection, stepOf)),
  ]
  return { name: one.name, failures, duration, inspection }
}

/** A case of a ruleset with doubles: numbers with more digits become the nearest doubles. */
function caseOfDoubles(one: Case): Case {
  return asDoubles(new CountedBudget(Infinity), one as unknown as Value) as unknown as Case
}

/** The entered steps by their draft ids: a step that was converted to several is listed once. */
export function pathOf({ steps }: Inspection, stepOf: (id: string) => string): readonly string[] {
  return steps.flatMap(({ id }, index) => {
    const before = steps[index - 1]
    const isPart = before !== undefined && before.id !== id && stepOf(before.id) === stepOf(id)
    return isPart ? [] : [stepOf(id)]
  })
}

/** A host whose only services are the stubs `service.method`. */
export function stubbedHost({ now, stubs = {} }: Pick<Case, 'now' | 'stubs'>, parts: CaseHost): Host {
  const programs = new Map<string, Program>()
  const host: Host = {
    rulesets: {
      resolve(name) {
        const ruleset = parts.rulesets?.get(name)
        if (ruleset === undefined) return undefined
        const known = programs.get(name) ?? createProgram(ruleset, host)
        programs.set(name, known)
        return known
      },
      generation: 0,
    },
    capabilities: {
      get: (name) => ({
        name,
        operations: [ANY_OPERATION],
        async call({ operation }) {
          const call = `${name}.${operation}`
          if (!Object.hasOwn(stubs, call)) throw new Error('no stub')
          const payload = defined(stubs[call])
          const error = errorIn(payload)
          if (error !== undefined) throw new Error(error)
          return { payload, metadata: { stub: 'true' } }
        },
      }),
    },
    log: () => undefined,
    metric: () => undefined,
    callFailed: () => undefined,
    monotonic: () => parts.monotonic(),
    now: () => (now === undefined ? parts.now() : Date.parse(now)),
    makeFunction: parts.makeFunction,
    limit: () => ({ signal: NEVER, dispose: () => undefined }),
    pause: parts.pause,
  }
  return host
}

/** The text of a stub `{error: text}`, for a failing call. */
function errorIn(payload: Value): string | undefined {
  if (!isObject(payload) || Object.keys(payload).length !== 1) return undefined
  const { error } = payload
  return typeof error === 'string' ? error : undefined
}

/** Stubbed calls never wait. */
const NEVER: AbortSignalLike = { aborted: false, addEventListener() {}, removeEventListener() {} }
