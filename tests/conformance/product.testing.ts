import { convertDraft, decodeDraft } from '@engine/authoring'
import {
  Budget,
  compile,
  EvaluationError,
  type EvaluationPolicy,
  interpret,
  LENIENT,
  makeFunction,
  parse,
  stringifyJson,
  type Value,
} from '@engine/expression'
import { createProgram, decodeRuleset, ExecutionError, type Program, type Ruleset } from '@engine/ruleset'
import { testHost } from '../../packages/ruleset/src/host.testing.ts'

/* The product's ways to evaluate and to decide. Browsers load this file, too: it imports nothing of Node. */

/** Epoch milliseconds that `now()` gives. */
export const NOW = 1_763_600_000_000

/** What an expression is evaluated in. */
export interface Setting {
  readonly input: Value
  readonly variables: { readonly [name: string]: Value }
  readonly missing: 'lenient' | 'strict' | 'default'
  readonly defaults: { readonly [path: string]: Value }
}

/** A value as JSON, or `error` and its code; undefined: the documents leave it open. */
export type Outcome = string | undefined

const NEGATIVE_ZERO = /(?<![\d.eE+])-0(?![\d.])/g
/** The documents do not distinguish 0 from -0. */
export const zeroless = (text: string) => text.replaceAll(NEGATIVE_ZERO, '0')

/** Its outcomes by the interpreter and by generated code. */
export function byProduct(text: string, { input, variables, missing, defaults }: Setting): readonly Outcome[] {
  const parsed = parse(text)
  if (parsed.kind === 'failed') return [`error ${parsed.problems[0]?.code ?? ''}`]
  const policy: EvaluationPolicy = { ...LENIENT, mode: missing, defaults: new Map(Object.entries(defaults)) }
  const known = new Map(Object.entries(variables))
  const runtime = () => ({ now: NOW, budget: Budget.endless() })
  const compiled = compile(parsed.expression, { policy })
  return [
    outcomeOf(() => interpret(parsed.expression, { input, variables: known, policy, runtime: runtime() })),
    outcomeOf(() => compiled(input, known, runtime())),
  ]
}

function outcomeOf(work: () => Value): Outcome {
  try {
    return zeroless(stringifyJson(work()))
  } catch (error) {
    if (error instanceof EvaluationError) return `error ${error.code}`
    throw error
  }
}

/** The ways in which a ruleset is executed here. */
const WAYS = {
  compiled: { host: { makeFunction }, options: {} },
  'compiled without an index of branches': { host: { makeFunction }, options: { dispatch: false } },
  interpreted: { host: { makeFunction: undefined }, options: {} },
} as const

/** A ruleset as each way decides; undefined: it is refused when it is stored. */
export function programsOf(document: Value, others: ReadonlyMap<string, Value> = new Map()) {
  const ruleset = decoded(document)
  const called = new Map([...others].map(([name, other]) => [name, decoded(other)]))
  if (ruleset === undefined || [...called.values()].includes(undefined)) return undefined
  return Object.entries(WAYS).map(([way, { host: overrides, options }]) => {
    const programs = new Map<string, Program>()
    const resolved = { resolve: (name: string) => programs.get(name), generation: 0 }
    const host = testHost({ now: () => NOW, rulesets: resolved, ...overrides })
    for (const [name, other] of called) programs.set(name, createProgram(other as Ruleset, host, options))
    const program = createProgram(ruleset, host, options)
    return [way, (input: Value) => decisionOf(program, input)] as const
  })
}

export function decoded(document: Value): Ruleset | undefined {
  return decodeRuleset(document).ruleset
}

function decisionOf(program: Program, input: Value): string {
  try {
    const decision = program.decide(input)
    if (decision instanceof Promise) throw new TypeError('it waits for a call')
    const { code, message, output } = decision
    return zeroless(stringifyJson({ code, message, output }))
  } catch (error) {
    if (error instanceof ExecutionError) return 'error'
    throw error
  }
}

/** The programs of a converted draft, one for each way of execution; undefined: the draft has errors. */
export function programsOfDraft(document: Value) {
  const { draft } = decodeDraft(document)
  const { ruleset } = draft === undefined ? {} : convertDraft(draft)
  return ruleset === undefined ? undefined : programsOf(ruleset)
}
