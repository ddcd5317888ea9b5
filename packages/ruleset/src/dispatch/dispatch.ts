import {
  type Budget,
  compile,
  type CompileOptions,
  type CompiledExpression,
  defined,
  type Expression,
  fold,
  interpret,
  isNumber,
  isTrue,
  type MakeFunction,
  type EvaluationPolicy,
  type Runtime,
  sizeOf,
  type Value,
} from '@engine/expression/core'
import { createIndexTree } from './index-tree.ts'
import { type Conjuncts, indexableConjuncts } from './indexable-conjuncts.ts'

/**
 * The index of the first true condition, or the number of conditions when none is. Throws where in-order evaluation
 * would.
 */
export type Dispatch = (input: Value, variables: Variables, runtime: Runtime) => number

interface Variables {
  get(name: string): Value | undefined
}

/** Maximum number of paths in an index. */
const MAX_KEYS = 8

/**
 * Finds the first true condition without evaluating all of them. Conditions are indexed by their leading conjuncts
 * (docs/decisions/0003); undefined when too few can be indexed. Without `makeFunction` all of them are interpreted.
 */
export function createDispatch(
  conditions: readonly Expression[],
  { policy, folding }: { readonly policy: EvaluationPolicy; readonly folding: Budget },
  makeFunction: MakeFunction | undefined,
): Dispatch | undefined {
  const folded = conditions.map((condition) => fold(condition, policy, folding))
  const known = folded.map((condition) => indexableConjuncts(condition, policy))
  const keys = keysOf(known)
  if (keys.length === 0) return undefined
  const names = keys.map(({ key }) => key)
  const indexed = known.map((condition) => restricted(condition, keys))
  const tree = createIndexTree(indexed, names)
  const options = makeFunction && { policy, makeFunction, folding }
  const readers = keys.map(({ path }) => (options === undefined ? interpreted(path, policy) : compile(path, options)))
  const boundTypes = keys.map(({ bounds }) => bounds)
  const truths = folded.map((condition) => lazyTruth(condition, policy, options))
  const linear: Dispatch = (input, variables, runtime) => {
    const found = truths.findIndex((truth) => truth(input, variables, runtime))
    return found < 0 ? truths.length : found
  }
  return (input, variables, runtime) => {
    const values: Value[] = []
    for (let key = 0; key < readers.length; key++) {
      const value = defined(readers[key])(input, variables, runtime)
      // A value of another type makes some comparison fail: evaluate in order to get the same error at the same place.
      const bounds = boundTypes[key]
      if (bounds !== undefined && value !== null && typeOfBound(value) !== bounds)
        return linear(input, variables, runtime)
      values.push(value)
    }
    const candidates = tree.candidates(values)
    for (let index = 0; index < candidates.length; index++) {
      const { branch, isCertain } = defined(candidates[index])
      if (isCertain || defined(truths[branch])(input, variables, runtime)) return branch
    }
    return truths.length
  }
}

function typeOfBound(value: Value): string {
  return isNumber(value) ? 'number' : typeof value
}

interface Key {
  readonly key: string
  readonly path: Expression
  /** The type that its ordered comparisons need. */
  readonly bounds: 'number' | 'string' | undefined
}

/** The most frequently tested paths; at least a third of the conditions must start with one of them. */
function keysOf(conditions: readonly Conjuncts[]): readonly Key[] {
  const found = new Map<string, { path: Expression; count: number; types: Set<'number' | 'string'> }>()
  for (const { tests } of conditions) {
    for (const { key, path, operator, bound } of tests) {
      const entry = found.get(key) ?? { path, count: 0, types: new Set<'number' | 'string'>() }
      entry.count++
      if (operator !== 'set') entry.types.add(typeof bound === 'number' ? 'number' : 'string')
      found.set(key, entry)
    }
  }
  const keys = [...found]
    // Bounds of two types on one path: one of the comparisons fails for every value.
    .filter(([, { count, types }]) => types.size < 2 && count * 3 >= Math.min(conditions.length, 12))
    .sort(([, left], [, right]) => right.count - left.count)
    .slice(0, MAX_KEYS)
  const indexed = conditions.filter(({ tests }) => keys.some(([key]) => key === tests[0]?.key))
  if (indexed.length * 3 < conditions.length) return []
  return keys.map(([key, { path, types }]) => ({ key, path, bounds: [...types][0] }))
}

/** The tests up to the first without a key: that one could fail, and later tests must not decide before it. */
function restricted({ tests, isComplete }: Conjuncts, keys: readonly Key[]): Conjuncts {
  const end = tests.findIndex((test) => !keys.some(({ key }) => key === test.key))
  return end < 0 ? { tests, isComplete } : { tests: tests.slice(0, end), isComplete: false }
}

type Truth = (input: Value, variables: Variables, runtime: Runtime) => boolean

/** Compiling costs more than a few evaluations, and of many branches few are ever tried. */
const COMPILE_AFTER = 3
/** Units of compiling one unit of an expression's size. */
const COMPILING = 100

function interpreted(expression: Expression, policy: EvaluationPolicy): CompiledExpression {
  return (input, variables, runtime) => interpret(expression, { input, variables, policy, runtime })
}

/** @param options undefined: the condition is never compiled */
function lazyTruth(condition: Expression, policy: EvaluationPolicy, options: CompileOptions | undefined): Truth {
  let compiled: CompiledExpression | undefined
  let uses = 0
  return (input, variables, runtime) => {
    if (compiled !== undefined) return isTrue(compiled(input, variables, runtime), runtime.budget)
    if (options !== undefined && ++uses > COMPILE_AFTER) {
      runtime.budget.spend(COMPILING * sizeOf(condition))
      compiled = compile(condition, options)
    }
    return isTrue(interpret(condition, { input, variables, policy, runtime }), runtime.budget)
  }
}
