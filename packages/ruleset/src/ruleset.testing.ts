import { isList, type Value } from '@engine/expression'
import { randomExpressions } from './expression-text.testing.ts'
import type { ExpressionTexts } from './expression-text.testing.ts'
import { isFields } from './decode/field.ts'
import type { RulesetDocument } from './model.ts'
import { chance, inRange, pick, shuffled, some } from './random.testing.ts'
import type { Random } from './random.testing.ts'

/** The features that a random ruleset may use; all are on by default. */
export interface RandomRulesetOptions {
  /** Branches of the largest decision table. Default 40. */
  readonly mostBranches?: number
  /** Number of steps besides the terminals. Default 8. */
  readonly mostSteps?: number
  /** Allow cycles, with a small `max_depth`. Default true. */
  readonly loops?: boolean
  /** Default: any of the three. */
  readonly fieldMissing?: 'lenient' | 'strict' | 'default'
}

const VARIABLES = ['x', 'y', 'total', 'größe', '__proto__', 'constructor']
const LEVELS = ['debug', 'info', 'warn', 'error']
const WORDS = ['ok', 'approved', 'Ünïcode 😀', '', 'a `b` ${c} */ //', '\u2028', '__proto__']

/**
 * A random ruleset document that decodes without problems: decisions with tables over one to four fields and with free
 * conditions, actions, terminals; mostly acyclic, sometimes with loops; all modes for missing fields.
 */
export function randomRuleset(random: Random, options: RandomRulesetOptions = {}): RulesetDocument {
  const inner = inRange(random, 1, options.mostSteps ?? 8)
  const terminals = inRange(random, 1, 4)
  const ids = stepIds(random, inner + terminals)
  const loops = options.loops !== false && chance(random, 0.2)
  const templates = chance(random, 0.4)
  const texts = randomExpressions(random, VARIABLES.slice(0, inRange(random, 1, VARIABLES.length)))
  const subRules = chance(random, 0.3) ? randomSubRules(random, texts, loops, templates) : {}
  const makers: Makers = { random, texts, templates, mostBranches: options.mostBranches ?? 40 }
  const steps = randomSteps(makers, ids, inner, loops, Object.keys(subRules))
  const config = randomConfig(random, ids[0] ?? '', texts, { ...options, loops, templates })
  return { config, steps, ...(Object.keys(subRules).length === 0 ? {} : { sub_rules: subRules }) }
}

/** Generators used by random steps. */
interface Makers {
  readonly random: Random
  readonly texts: ExpressionTexts
  readonly templates: boolean
  readonly mostBranches: number
}

/** Steps of which the first `inner` are not terminals and may use sub-rules. */
function randomSteps(
  { random, texts, templates, mostBranches }: Makers,
  ids: readonly string[],
  inner: number,
  loops: boolean,
  subRules: readonly string[],
): Value {
  const steps = ids.map((id, index): [string, Value] => {
    if (index >= inner) return [id, terminal(random, id, texts, templates)]
    const targets = loops ? ids : ids.slice(index + 1)
    if (subRules.length > 0 && chance(random, 0.4)) return [id, subRuleStep(random, id, subRules, targets, texts)]
    const step = chance(random, 0.65)
      ? decision(random, id, targets, texts, mostBranches)
      : action(random, id, targets, texts)
    return [id, step]
  })
  // `fromEntries` creates an own member for every id, including `__proto__`.
  return Object.fromEntries(shuffled(random, steps))
}

/** One to three sub-rules; each may use the previous ones. */
function randomSubRules(
  random: Random,
  texts: ExpressionTexts,
  loops: boolean,
  templates: boolean,
): { readonly [name: string]: Value } {
  const names = shuffled(random, ['grade', 'a/b', '__proto__']).slice(0, inRange(random, 1, 3))
  const made = names.map((name, index): [string, Value] => {
    const inner = inRange(random, 0, 3)
    const ids = stepIds(random, inner + inRange(random, 1, 2))
    const makers: Makers = { random, texts, templates, mostBranches: 5 }
    const isCyclic = loops && chance(random, 0.3)
    const steps = randomSteps(makers, ids, inner, isCyclic, names.slice(0, index))
    return [name, { entry_step: ids[0] ?? '', steps }]
  })
  return Object.fromEntries(made)
}

function subRuleStep(
  random: Random,
  id: string,
  subRules: readonly string[],
  targets: readonly string[],
  texts: ExpressionTexts,
): Value {
  const fields = some(random, ['a', 'b', 'age', 'country', 'user', 'order', 'items', 'weird key', '__proto__'], 0, 6)
  const bound = () =>
    pick<() => Value>(random, [texts.any, texts.form, () => pick(random, ['a', 'user', 'order.total', '$'])])()
  const variables = some(random, texts.variables, 0, 3)
  return {
    id,
    type: 'sub_rule',
    ref_name: pick(random, subRules),
    bindings: fields.map((field) => [field, bound()]),
    outputs: variables.map((variable) => [variable, pick(random, texts.variables)]),
    next_step: pick(random, targets),
  }
}

function stepIds(random: Random, count: number): string[] {
  const odd = ['constructor', '__proto__', 'a b', 'a/b~c', '"];process.exit()//', '\u2028', '1', '-> x']
  const oddities = shuffled(random, odd).slice(0, chance(random, 0.2) ? 3 : 0)
  return shuffled(random, [...Array.from({ length: count }, (_, index) => `s${index}`), ...oddities]).slice(0, count)
}

function randomConfig(
  random: Random,
  entryStep: string,
  texts: ExpressionTexts,
  options: RandomRulesetOptions & { readonly loops: boolean; readonly templates: boolean },
): Value {
  const fieldMissing = options.fieldMissing ?? pick(random, ['lenient', 'lenient', 'strict', 'default'])
  const config: [string, Value][] = [
    ['name', `random-${inRange(random, 0, 99_999)}`],
    ['entry_step', entryStep],
    ['field_missing', fieldMissing],
  ]
  if (chance(random, 0.5)) config.push(['numbers', pick(random, ['double', 'decimal'])])
  if (fieldMissing === 'default') {
    const defaults = some(random, texts.fields, 0, 4).map((path): [string, Value] => [
      path.startsWith('[') ? `$${path}` : path,
      texts.value(),
    ])
    config.push(['defaults', Object.fromEntries(defaults)])
  }
  // A loop is ended by the number of steps, on which all ways of execution agree, and never by the clock.
  if (options.loops) config.push(['timeout_ms', 0], ['max_depth', inRange(random, 1, 60)])
  else if (chance(random, 0.15)) config.push(['max_depth', inRange(random, 1, 4)])
  if (options.templates) config.push(['message_templates', true])
  return Object.fromEntries(config)
}

function decision(
  random: Random,
  id: string,
  targets: readonly string[],
  texts: ExpressionTexts,
  mostBranches: number,
): Value {
  const conditions = chance(random, 0.7)
    ? texts.table(inRange(random, 1, mostBranches))
    : Array.from({ length: inRange(random, 1, 5) }, () => texts.condition())
  const branches = conditions.map((condition): Value => {
    const branch: [string, Value][] = [
      ['condition', condition],
      ['next_step', pick(random, targets)],
    ]
    if (chance(random, 0.15)) branch.push(['actions', actions(random, texts)])
    return Object.fromEntries(branch)
  })
  const step: [string, Value][] = [
    ['id', id],
    ['type', 'decision'],
    ['branches', branches],
  ]
  if (chance(random, 0.8)) step.push(['default_next', pick(random, targets)])
  return Object.fromEntries(step)
}

function action(random: Random, id: string, targets: readonly string[], texts: ExpressionTexts): Value {
  return { id, name: `Step ${id}`, type: 'action', actions: actions(random, texts), next_step: pick(random, targets) }
}

function actions(random: Random, texts: ExpressionTexts): Value[] {
  return Array.from({ length: inRange(random, 1, 3) }, () => anyAction(random, texts))
}

function anyAction(random: Random, texts: ExpressionTexts): Value {
  if (chance(random, 0.7)) {
    const variable = pick(random, texts.variables)
    const value = pick<() => Value>(random, [texts.any, texts.any, () => ({ Literal: texts.value() }), texts.form])()
    return { action: 'set_variable', name: chance(random, 0.5) ? variable : `$${variable}`, value }
  }
  if (chance(random, 0.5)) return { action: 'log', message: pick(random, WORDS), level: pick(random, LEVELS) }
  return { action: 'metric', name: 'decisions', value: texts.any(), tags: [['kind', pick(random, WORDS)]] }
}

function terminal(random: Random, id: string, texts: ExpressionTexts, templates: boolean): Value {
  const result: [string, Value][] = [
    ['code', pick(random, ['OK', 'NO', 'REVIEW', 'T-1', 'größe', '__proto__'])],
    ['message', templates ? template(random, texts) : pick(random, WORDS)],
  ]
  for (const key of some(random, ['discount', 'data', '__proto__', 'constructor', 'größe'], 0, 3)) {
    result.push([key, texts.value()])
  }
  if (chance(random, 0.5)) {
    result.push(['output', some(random, ['a', 'b', 'toString', 'a.b'], 0, 3).map((name) => [name, texts.any()])])
  } else if (chance(random, 0.2)) {
    result.push(['output', { plain: true }])
  }
  return { id, type: 'terminal', result: Object.fromEntries(result) }
}

function template(random: Random, texts: ExpressionTexts): string {
  const parts = Array.from({ length: inRange(random, 0, 4) }, () =>
    pick(random, [() => `{ ${texts.any()} }`, () => ' and ', () => '{{', () => '}}'])(),
  )
  return parts.join('')
}

/**
 * An input for a random ruleset: values near the constants of its conditions, mixed with other values, null, wrong
 * types and absent fields, at every path that random conditions read.
 */
export function randomRulesetInput(random: Random, ruleset: RulesetDocument): { readonly [key: string]: Value } {
  const near = literalsOf(ruleset)
  const texts = randomExpressions(random, [])
  const value = () => (near.length > 0 && chance(random, 0.6) ? nudged(random, pick(random, near)) : texts.value())
  const input: [string, Value][] = []
  const groups = new Map<string, [string, Value][]>()
  for (const path of texts.fields) {
    if (chance(random, 0.2)) continue
    const [head = '', tail] = path.startsWith('[') ? [String(JSON.parse(path.slice(1, -1)))] : path.split('.')
    const given = path === 'items' ? list(random, value) : value()
    if (tail === undefined) input.push([head, given])
    else groups.set(head, [...(groups.get(head) ?? []), [tail, given]])
  }
  for (const [head, members] of groups) {
    input.push([head, chance(random, 0.1) ? value() : Object.fromEntries(members)])
  }
  return Object.fromEntries(input)
}

function list(random: Random, value: () => Value): Value {
  return Array.from({ length: inRange(random, 0, 4) }, () => (chance(random, 0.5) ? { price: value() } : value()))
}

/** A slightly different number, so that both sides of every bound occur; anything else unchanged. */
function nudged(random: Random, value: Value): Value {
  return typeof value === 'number' ? value + pick(random, [0, 0, 0, 1, -1, 0.5]) : value
}

const LITERAL = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?/g

function literalsOf(ruleset: RulesetDocument): readonly Value[] {
  const found = new Set<Value>()
  const { steps } = ruleset
  for (const step of isFields(steps) ? Object.values(steps) : []) {
    const branches = isFields(step) ? step['branches'] : undefined
    for (const branch of isList(branches) ? branches : []) {
      const condition = isFields(branch) ? branch['condition'] : undefined
      if (typeof condition !== 'string') continue
      for (const [literal] of condition.matchAll(LITERAL)) found.add(valueOf(literal))
    }
  }
  return [...found]
}

function valueOf(literal: string): Value {
  return literal.startsWith('"') ? String(JSON.parse(literal)) : Number(literal)
}
