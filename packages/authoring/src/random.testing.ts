import type { Value } from '@engine/expression'
import { chance, inRange, pick, type Random, some } from '../../ruleset/src/random.testing.ts'

/** Input fields that random drafts read. */
const FIELDS = ['age', 'score', 'country', 'user.level', 'vip'] as const
const VARIABLES = ['x', 'y', 'rate', 'tags'] as const
const LITERALS = ['1', '2', '18', '65', '-3', '0.5', '"DE"', '"FR"', '""', 'true', 'false', 'null']
const NUMBERS = ['0', '1', '2', '18', '40', '65', '-3', '2.5']

/** A document of the editor with tables and sub-rules that has no errors. */
export function randomDraft(random: Random): Value {
  const names = ['grade', 'fee', 'deep'].slice(0, inRange(random, 0, 3))
  const subRules = names.map((name, index) => [name, graph(random, names.slice(0, index), false)] as const)
  return {
    config: {
      name: 'random',
      fieldMissing: pick(random, ['lenient', 'lenient', 'strict']),
    },
    ...graph(random, names, true),
    subRules: Object.fromEntries(subRules),
  }
}

export function randomInput(random: Random): Value {
  const values: readonly (readonly [string, Value])[] = [
    ['age', pick(random, [1, 2, 17, 18, 40, 65, null, '18'])],
    ['score', pick(random, [0, 0.5, 2, 18, -3])],
    ['country', pick(random, ['DE', 'FR', 'US', '', null])],
    ['user', { level: pick(random, [1, 2, 3, 'x']) }],
    ['vip', pick(random, [true, false])],
  ]
  return Object.fromEntries(chance(random, 0.7) ? values : some(random, values, 2, 5))
}

/** Acyclic steps; the last ones are terminals. */
function graph(random: Random, subRules: readonly string[], isRoot: boolean) {
  const inner = inRange(random, isRoot ? 1 : 0, isRoot ? 6 : 3)
  const ids = Array.from({ length: inner + inRange(random, 1, 3) }, (_, index) => (index === 1 ? 's/1' : `s${index}`))
  const steps = ids.map((id, index): Value => {
    if (index >= inner) return terminal(random, id)
    const targets = ids.slice(index + 1)
    const kinds = [decision, action, table, table, ...(subRules.length > 0 ? [subRule, subRule] : [])]
    return pick(random, kinds)(random, id, targets, subRules)
  })
  return { startStepId: ids[0] ?? '', steps: isRoot ? steps : [...steps, unreached(ids.at(-1) ?? '')] }
}

/**
 * Sets every variable, so that each output of a sub-rule starts as null: a variable that is never set would be missing.
 */
function unreached(nextStepId: string): Value {
  return { id: 'unreached', type: 'action', assignments: VARIABLES.map((name) => ({ name, value: '0' })), nextStepId }
}

const path = (random: Random) => pick(random, [...FIELDS, ...VARIABLES.map((name) => `$${name}`)])

function number(random: Random): string {
  return pick(random, [
    () => pick(random, NUMBERS),
    () => `coalesce(${path(random)}, 1)`,
    () => `score * ${pick(random, NUMBERS)}`,
    () => `age + ${pick(random, NUMBERS)}`,
  ])()
}

function condition(random: Random): string {
  return pick(random, [
    () => `${path(random)} == ${pick(random, LITERALS)}`,
    () => `score ${pick(random, ['<', '<=', '>', '>='])} ${pick(random, NUMBERS)}`,
    () => `age > ${pick(random, NUMBERS)} || vip`,
    () => `is_null(${path(random)})`,
    () => pick(random, ['true', 'vip', '!vip', 'country']),
  ])()
}

function expression(random: Random): string {
  return pick(random, [
    () => number(random),
    () => condition(random),
    () => path(random),
    () => pick(random, LITERALS),
    () => `[${path(random)}, 1]`,
  ])()
}

function decision(random: Random, id: string, targets: readonly string[]): Value {
  const branches = Array.from({ length: inRange(random, 1, 4) }, (_, index) => ({
    id: `b${index}`,
    condition: condition(random),
    nextStepId: pick(random, targets),
  }))
  return { id, type: 'decision', branches, ...(chance(random, 0.8) && { defaultNextStepId: pick(random, targets) }) }
}

function action(random: Random, id: string, targets: readonly string[]): Value {
  const assignments = some(random, VARIABLES, 1, 3).map((name) => ({ name, value: expression(random) }))
  return { id, type: 'action', assignments, nextStepId: pick(random, targets) }
}

function terminal(random: Random, id: string): Value {
  const output = some(random, VARIABLES, 0, 3).map((name) => ({ name, value: `$${name}` }))
  const message = pick(random, ['"plain {text}"', '"a" + "b"', 'country', '{"k": age}', ''])
  return { id, type: 'terminal', code: `T_${id}`, ...(message !== '' && { message }), output }
}

function subRule(random: Random, id: string, targets: readonly string[], subRules: readonly string[]): Value {
  const bindings = some(random, ['age', 'score', 'country', 'user', 'vip'], 1, 5).map((field) => ({
    field,
    expr: chance(random, 0.5) ? field : expression(random),
  }))
  const outputs = some(random, VARIABLES, 0, 3).map((name) => ({ parentVar: name, childVar: pick(random, VARIABLES) }))
  return { id, type: 'sub_rule', refName: pick(random, subRules), bindings, outputs, nextStepId: pick(random, targets) }
}

function cell(random: Random): string {
  return pick(random, [
    () => '',
    () => '',
    () => pick(random, LITERALS),
    () => ` ${pick(random, ['==', '!='])} ${pick(random, LITERALS)} `,
    () => `${pick(random, ['<', '<=', '>', '>='])}${pick(random, NUMBERS)}`,
    () => `${pick(random, ['in', 'not in'])} [${some(random, LITERALS, 0, 4).join(', ')}]`,
    () =>
      `${pick(random, ['[', '('])}${inRange(random, -3, 20)}..${inRange(random, 20, 70)}${pick(random, [']', ')'])}`,
    () => `? ${condition(random)}`,
  ])()
}

function table(random: Random, id: string, targets: readonly string[]): Value {
  const hitPolicy = pick(random, ['first', 'unique', 'collect'])
  const aggregate = pick(random, ['', 'sum', 'min', 'max', 'count'])
  const isNumeric = hitPolicy === 'collect' && !['', 'count'].includes(aggregate)
  const inputs = some(random, [...FIELDS, '$x'], 1, 3).map((field, index) => ({
    id: `i${index}`,
    kind: 'input',
    field,
  }))
  const outputs = some(random, VARIABLES, 0, 2).map((field, index) => ({ id: `o${index}`, kind: 'output', field }))
  const rows = Array.from({ length: inRange(random, 0, 6) }, (_, index) => ({
    id: `r${index}`,
    cells: Object.fromEntries([
      ...inputs.map((column) => [column.id, cell(random)] as const),
      ...outputs.map((column) => [column.id, outputCell(random, isNumeric)] as const),
    ]),
    ...(hitPolicy !== 'collect' && chance(random, 0.4) && { nextStepId: pick(random, targets) }),
    ...(chance(random, 0.1) && { disabled: true }),
  }))
  return {
    id,
    type: 'table',
    hitPolicy,
    ...(hitPolicy === 'collect' && aggregate !== '' && { aggregate }),
    columns: [...inputs, ...outputs],
    rows,
    nextStepId: pick(random, targets),
    ...(chance(random, 0.5) && { defaultNextStepId: pick(random, targets) }),
  }
}

function outputCell(random: Random, isNumeric: boolean): string {
  if (chance(random, 0.2)) return ''
  return isNumeric ? number(random) : expression(random)
}
