import type { Value } from '@engine/expression'
import { chance, inRange, pick, type Random } from '../../../../ruleset/src/random.testing.ts'

/** A draft with a decision between two terminals that uses all kinds of expressions. */
export function randomExpressionsDraft(random: Random): Value {
  const outputs = Array.from({ length: inRange(random, 1, 3) }, (_, index) => ({
    name: `o${index}`,
    value: value(random),
  }))
  const assignments = [
    { name: 'x', value: amount(random) },
    { name: 'y', value: value(random) },
    ...(chance(random, 0.3) ? [{ name: 'x', value: '$x + 1' }] : []),
  ]
  const columns = [
    { id: 'i', kind: 'input', field: pick(random, ['n1', 'm1', 's1', '$x']) },
    { id: 'o', kind: 'output', field: pick(random, ['x', 'z']) },
  ]
  const rows = Array.from({ length: inRange(random, 0, 3) }, (_, index) => ({
    id: `r${index}`,
    cells: {
      i: chance(random, 0.5)
        ? `? ${condition(random, 1)}`
        : pick(random, ['1', '!= 2', 'in [1, "a"]', 'not in ["a"]', '[-1..2)']),
      o: value(random),
    },
  }))
  return {
    config: {
      name: 'random',
      ...(chance(random, 0.2) && { fieldMissing: 'default', defaults: { m1: 2, 'o.p': 'none' } }),
    },
    startStepId: 'set',
    steps: [
      { id: 'set', type: 'action', assignments, nextStepId: 'table' },
      {
        id: 'table',
        type: 'table',
        hitPolicy: pick(random, ['first', 'collect']),
        columns,
        rows,
        nextStepId: 'choose',
      },
      {
        id: 'choose',
        type: 'decision',
        branches: [{ id: 'b', condition: condition(random, 2), nextStepId: 'yes' }],
        defaultNextStepId: 'no',
      },
      { id: 'yes', type: 'terminal', code: 'YES', message: text(random), output: outputs },
      {
        id: 'no',
        type: 'terminal',
        code: 'NO',
        output: [
          { name: 'x', value: '$x' },
          { name: 'z', value: '$z' },
        ],
      },
    ],
  }
}

const number = (random: Random) => String(inRange(random, 0, 8) / 2)
const word = (random: Random) => pick(random, ['"a"', '"b"', '"ab"', '""', '"it\'s \\"x\\""'])
const FIELDS = ['n1', 'n2', 'm1', 'm2', 's1', 's2', 'f1', 'l1', 'items', 'and', '$.if', '$["odd key"]']

function condition(random: Random, depth: number): string {
  if (depth > 0 && chance(random, 0.6)) {
    const inner = () => condition(random, depth - 1)
    return pick(random, [
      () => `${inner()} && ${inner()}`,
      () => `${inner()} || ${inner()}`,
      () => `!(${inner()})`,
      () => `(${inner()} || ${inner()}) && ${inner()}`,
      () => `(if ${inner()} then ${inner()} else ${inner()})`,
    ])()
  }
  const side = () => pick(random, ['n1', 'n2', 'm1', 'm2', '$x', 'coalesce(m1, 1) + 1'])
  return pick(random, [
    () => `${side()} ${pick(random, ['<', '<=', '>', '>='])} ${number(random)}`,
    () => `${side()} ${pick(random, ['==', '!='])} ${number(random)}`,
    () => 'm1 < m2',
    () => `s1 ${pick(random, ['==', '!='])} ${pick(random, [word(random), 'null', 's2'])}`,
    () => `${pick(random, FIELDS)} ${pick(random, ['in', 'not in'])} [${word(random)}, ${number(random)}, null]`,
    () => `${word(random)} ${pick(random, ['in', 'not in'])} ${pick(random, ['l1', 's1', 'tags'])}`,
    () => `tags contains ${word(random)}`,
    () => `contains(tags, ${word(random)})`,
    () => pick(random, ['f1', 'n1', 's1', 'm1', 'l1', 'true', 'false']),
    () => `is_null(${pick(random, FIELDS)})`,
    () => `${pick(random, ['starts_with', 'ends_with', 'contains_str'])}(s1, ${word(random)})`,
    () => `matches(s1, "^[ab]+$")`,
    () => `any(l1, v => v > ${number(random)})`,
    () => `all(l1, v => v > ${number(random)} || v == n1)`,
    () => `none(items, v => v.p == m1)`,
    () => `len(l1) > 1`,
    () => `is_number(${pick(random, FIELDS)})`,
    () => `f1 == (n1 > ${number(random)})`,
  ])()
}

function amount(random: Random): string {
  const inner = () => pick(random, ['n1', 'n2', 'coalesce(m1, 2)', number(random)])
  return pick(random, [
    () => number(random),
    inner,
    () => `${inner()} + ${inner()} * ${inner()}`,
    () => `${inner()} - (${inner()} - ${inner()})`,
    () => `-${inner()} * -1`,
    () => `${inner()} / ${pick(random, ['2', 'n2', '4'])}`,
    () => `${inner()} % 3`,
    () => `pow(${inner()} - 3, 2)`,
    () => `sum(map(l1, v => v * 2)) + len(l1)`,
    () => `sum(items, v => v.p)`,
    () => `count(l1, v => v > ${number(random)})`,
    () => `max(${inner()}, ${inner()})`,
    () => `min(l1)`,
    () => `avg(l1)`,
    () => `abs(${inner()} - 3)`,
    () => `${pick(random, ['floor', 'ceil', 'round'])}(${inner()} * 1.5)`,
    () => `round(${inner()} / 4, 1)`,
    () => `(if ${condition(random, 1)} then ${inner()} else ${inner()}) + 1`,
    () => `first(l1)`,
    () => `items[0].p`,
    () => `$["odd key"]`,
    () => 'and',
  ])()
}

function text(random: Random): string {
  return pick(random, [
    () => word(random),
    () => `coalesce(s1, "x") + ${word(random)}`,
    () => `upper(coalesce(s1, "none"))`,
    () => `"n is " + to_string(n1) + trim(" a ")`,
    () => 's1',
    () => `split("a,b", ",")[1]`,
  ])()
}

function value(random: Random): string {
  return pick(random, [
    amount,
    amount,
    text,
    (inner: Random) => condition(inner, 1),
    () => 'map(items, v => {"price": v.p, "more": [v.p, n1]})',
    () => 'filter(l1, v => v > 1)',
    () => '[n1, s1, null]',
    () => '{"a b": m1, c: {d: n1}}',
    () => 'l1',
    () => 'o.p',
  ])(random)
}

/** An input in which some fields are missing. */
export function randomExpressionInput(random: Random): Value {
  const number$ = () => inRange(random, -2, 8) / 2
  const maybe = (given: Value): Value | undefined => {
    if (chance(random, 0.6)) return given
    return chance(random, 0.5) ? undefined : null
  }
  const items = (item: () => Value) => Array.from({ length: inRange(random, 0, 3) }, item)
  const words = ['a', 'b', 'ab', 'ba', 'it\'s "x"']
  const fields: readonly (readonly [string, Value | undefined])[] = [
    ['n1', number$()],
    ['n2', number$()],
    ['m1', maybe(number$())],
    ['m2', maybe(number$())],
    ['s1', maybe(pick(random, words))],
    ['s2', maybe(pick(random, words))],
    ['f1', maybe(chance(random, 0.5))],
    ['l1', items(number$)],
    ['items', items(() => ({ p: number$() }))],
    ['tags', maybe(pick<Value>(random, [['a', 'b'], [], 'ab']))],
    ['o', maybe({ p: number$(), z: 2 })],
    ['and', maybe(number$())],
    ['if', maybe(number$())],
    ['odd key', number$()],
    // Members with variable names that no expression reads.
    ['x', 7],
    ['z', { deep: 1 }],
    ['output', { o0: 5 }],
  ]
  return Object.fromEntries(fields.filter((entry): entry is [string, Value] => entry[1] !== undefined))
}
