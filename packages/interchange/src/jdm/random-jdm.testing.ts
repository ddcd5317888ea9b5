import type { Value } from '@engine/expression'
import { chance, inRange, pick, type Random } from '../../../ruleset/src/random.testing.ts'

/**
 * Random decisions with all supported kinds of nodes, and inputs for them. ZEN crashes on the remainder of a division
 * by zero, so there is none.
 */
export function randomDecision(random: Random): Value {
  const nodes: Value[] = [
    { id: 'in', type: 'inputNode', name: 'Request' },
    { id: 'out', type: 'outputNode', name: 'Response' },
  ]
  const edges: Value[] = []
  const connect = (sourceId: string, targetId: string, sourceHandle?: string) =>
    edges.push({
      id: `g${edges.length}`,
      sourceId,
      targetId,
      type: 'edge',
      ...(sourceHandle !== undefined && { sourceHandle }),
    })
  /** Open ends: nodes with their statement. */
  let ends: (readonly [string, string?])[] = [['in']]
  for (let count = inRange(random, 1, 5); count > 0; count--) {
    const from = chance(random, 0.75) ? ends : [pick(random, ends)]
    const rest = ends.filter((end) => !from.includes(end))
    const id = `n${nodes.length}`
    const isSwitch = chance(random, 0.3)
    const node = isSwitch
      ? randomSwitch(random, id)
      : chance(random, 0.5)
        ? randomTable(random, id)
        : randomExpressions(random, id)
    nodes.push(node)
    for (const [end, handle] of from) connect(end, id, handle)
    const own = isSwitch
      ? statementsOf(node).map((statement): readonly [string, string] => [id, statement])
      : [[id] as const]
    // A node may also continue in parallel to its successors.
    ends = [...rest, ...own, ...(chance(random, 0.15) ? from : [])]
  }
  // Today's editor draws no output node: nodes without an outgoing edge give the result.
  if (chance(random, 0.4)) {
    nodes.splice(1, 1)
    return { contentType: 'application/vnd.gorules.decision', nodes, edges }
  }
  for (const [end, handle] of ends) if (chance(random, 0.9)) connect(end, 'out', handle)
  if (edges.every((edge) => (edge as { targetId: string }).targetId !== 'out'))
    connect(ends[0]?.[0] ?? 'in', 'out', ends[0]?.[1])
  return { contentType: 'application/vnd.gorules.decision', nodes, edges }
}

const KEYS = ['k1', 'k2', 'k3', 'o.p', 'o.q']

const statementsOf = (node: Value) =>
  (node as { content: { statements: readonly { id: string }[] } }).content.statements.map(({ id }) => id)

function randomSwitch(random: Random, id: string): Value {
  const statements: Value[] = Array.from({ length: inRange(random, 1, 3) }, (_, index) => ({
    id: `${id}s${index}`,
    condition: condition(random, 2),
  }))
  if (chance(random, 0.3)) statements.push({ id: `${id}d`, condition: '', isDefault: true })
  const hitPolicy = chance(random, 0.8) ? 'first' : 'collect'
  return { id, type: 'switchNode', name: id, content: { hitPolicy, statements } }
}

const frame = (random: Random) => ({
  passThrough: chance(random, 0.85),
  ...(chance(random, 0.1) && { outputPath: pick(random, ['r', 'o.r']) }),
})

function randomExpressions(random: Random, id: string): Value {
  const expressions: Value[] = Array.from({ length: inRange(random, 1, 3) }, (_, index) => ({
    id: `${id}e${index}`,
    key: pick(random, KEYS),
    value: index > 0 && chance(random, 0.2) ? '$.k1 ?? 3' : value(random),
  }))
  return { id, type: 'expressionNode', name: id, content: { ...frame(random), expressions } }
}

function randomTable(random: Random, id: string): Value {
  const inputs = Array.from({ length: inRange(random, 1, 3) }, (_, index) => ({
    id: `${id}i${index}`,
    name: 'in',
    ...(chance(random, 0.85) && { field: pick(random, ['n1', 'm1', 's1', 'f1', 'k1', 'k2', 'o.p', '(m1 ?? 1) + 1']) }),
  }))
  const outputs = [...new Set(Array.from({ length: inRange(random, 1, 2) }, () => pick(random, KEYS)))].map(
    (field, index) => ({
      id: `${id}o${index}`,
      name: 'out',
      field,
    }),
  )
  const rules = Array.from({ length: inRange(random, 0, 4) }, (_, index) => ({
    _id: `${id}r${index}`,
    ...Object.fromEntries(
      inputs.map((input) => [input.id, inputCell(random, 'field' in input ? input.field : undefined)]),
    ),
    ...Object.fromEntries(
      outputs.map((output) => [output.id, chance(random, 0.75) ? value(random) : pick(random, ['', 'null'])]),
    ),
  }))
  const hitPolicy = chance(random, 0.85) ? 'first' : 'collect'
  // The nodes behind a list alone fail to read the input.
  const outputPath = hitPolicy === 'collect' && chance(random, 0.8) ? { outputPath: 'r' } : {}
  return {
    id,
    type: 'decisionTableNode',
    name: id,
    content: { ...frame(random), ...outputPath, hitPolicy, inputs, outputs, rules },
  }
}

const number = (random: Random) => String(inRange(random, 0, 8) / 2)
const word = (random: Random) => pick(random, ["'a'", "'b'", '"ab"', "''"])

/** A test of a column; order comparisons only for numbers. */
function inputCell(random: Random, field: string | undefined): string {
  if (chance(random, 0.2)) return ''
  if (field === undefined)
    return pick(random, [
      `n1 > ${number(random)} and m1 < 3`,
      "contains(s1, 'a')",
      'm1 == 1 or n1 > 2',
      'm1 == 1 or n1 > 2 and n2 < 3',
      `some(l1, # > ${number(random)})`,
    ])
  if (field === 's1')
    return pick(random, [
      word(random),
      `${word(random)}, ${word(random)}`,
      `!= ${word(random)}`,
      'null',
      "startsWith($, 'a')",
      `in [${word(random)}]`,
    ])
  if (field === 'f1') return pick(random, ['true', 'false', 'null', 'true, null', 'not $'])
  if (/^k|^o/.test(field)) return pick(random, [number(random), word(random), 'null', `!= ${number(random)}`, 'true'])
  return pick(random, [
    number(random),
    `-${number(random)}`,
    `${pick(random, ['<', '<=', '>', '>=', '==', '!='])} ${number(random)}`,
    `${number(random)}, ${number(random)}`,
    '[1..3]',
    '(0.5..2.5)',
    '[0..1), [3..4]',
    `> 1 and < ${number(random)}`,
    `> 2 or < ${number(random)}`,
    `> 2 or < ${number(random)} and n2 > 1`,
    `not in [${number(random)}, ${number(random)}]`,
    '> n2',
    '> n1 / n2',
    'n2 / n1',
    'n2',
    'm1 < 2 or s1 == null',
    'f1 == true and n1 > 0',
  ])
}

/** A condition whose fields may be missing: no arithmetic, which fails here and is false in ZEN. */
function condition(random: Random, depth: number): string {
  if (depth > 0 && chance(random, 0.5)) {
    const inner = () => condition(random, depth - 1)
    return pick(random, [
      () => `${inner()} and ${inner()}`,
      () => `${inner()} or ${inner()}`,
      () => `not (${inner()})`,
      () => `(${inner()} or ${inner()}) and ${inner()}`,
      () => `(${inner()}) ? (${inner()}) : (${inner()})`,
    ])()
  }
  const amount = () => pick(random, ['n1', 'n2', 'm1', 'm2', '(m1 ?? 1) + 1'])
  return pick(random, [
    () => `${amount()} ${pick(random, ['<', '<=', '>', '>='])} ${number(random)}`,
    () => `${amount()} ${pick(random, ['==', '!='])} ${number(random)}`,
    () => `m1 < m2`,
    () => `n1 / ${pick(random, ['n2', '2'])} ${pick(random, ['<', '>=', '==', '!='])} ${number(random)}`,
    () => `not (n1 / n2 > ${number(random)})`,
    () => `s1 ${pick(random, ['==', '!='])} ${pick(random, [word(random), 'null'])}`,
    () => `s1 ${pick(random, ['in', 'not in'])} [${word(random)}, ${word(random)}]`,
    () => `${amount()} ${pick(random, ['in', 'not in'])} ${pick(random, ['[1..3]', '(0..2.5]', '[m2..4)'])}`,
    () => 'f1',
    () => 'f1 ?? true',
    () => `f1 == ${pick(random, ['true', 'false', 'null'])}`,
    () => `contains(s1, ${word(random)})`,
    () => `startsWith(s1, ${word(random)})`,
    () => `some(l1, # > ${number(random)})`,
    () => `all(l1, # > ${number(random)})`,
    () => `k1 == ${pick(random, [number(random), word(random)])}`,
    () => `$root.n1 > 1`,
    () => dateCondition(random),
  ])()
}

const DAYS = ["'2024-02-29'", "'2025-01-31'", "'2025-03-20 10:30'", "'2025-12-31T23:59:59Z'", 't1', 't1']
const UNITS = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second']
const AMOUNTS = ["'1d'", "'2h 30m'", "'1M 2d'", "3, 'month'", "-1, 'day'", "2, 'w'", "90, 'minutes'"]

const dateOf = (random: Random): string =>
  pick(random, [
    () => `d(${pick(random, DAYS)})`,
    () => `d(${pick(random, DAYS)}).${pick(random, ['add', 'sub'])}(${pick(random, AMOUNTS)})`,
    () => `d(${pick(random, DAYS)}).startOf('${pick(random, UNITS)}')`,
    () => `d(${pick(random, DAYS)}).endOf('${pick(random, ['year', 'month', 'day', 'hour'])}')`,
    () => `d(${pick(random, DAYS)}).set('${pick(random, ['hour', 'minute'])}', ${inRange(random, 0, 23)})`,
  ])()

const dateCondition = (random: Random): string =>
  pick(random, [
    () => `${dateOf(random)} ${pick(random, ['<', '<=', '>', '>=', '==', '!='])} ${dateOf(random)}`,
    () => `${dateOf(random)}.${pick(random, ['isBefore', 'isAfter', 'isSame', 'isSameOrBefore'])}(${dateOf(random)})`,
    () => `${dateOf(random)}.${pick(random, ['isBefore', 'isSame'])}(d(t1), '${pick(random, UNITS)}')`,
    () => `not d(m1).isAfter(${dateOf(random)})`,
  ])()

const dateValue = (random: Random): string =>
  pick(random, [
    () => dateOf(random),
    // Months from the end of a month are counted otherwise: the warning `dates`.
    () => `${dateOf(random)}.diff(${dateOf(random)}, '${pick(random, ['week', 'day', 'hour', 'minute', 'second'])}')`,
    () => `d(t1).startOf('month').diff(${dateOf(random)}.startOf('month'), '${pick(random, UNITS)}')`,
    () => `${dateOf(random)}.${pick(random, ['year', 'month', 'day', 'weekday', 'hour', 'minute', 'second'])}()`,
    () => `${dateOf(random)}.${pick(random, ['dayOfYear', 'quarter', 'timestamp', 'isLeapYear'])}()`,
    () => `${dateOf(random)}.format('${pick(random, ['%Y-%m-%d', '%d.%m.%Y %H:%M', '%b %y', '%A %j'])}')`,
    () => `d(t1).tz('Europe/Berlin').${pick(random, ['hour()', 'day()', "format('%d.%m.%Y %H:%M')"])}`,
    () => dateCondition(random),
  ])()

/** A value; fields that may be missing have a fallback. */
function value(random: Random): string {
  return pick(random, [
    amountOf,
    dateValue,
    amountOf,
    textOf,
    (inner: Random) => `${amountOf(inner)} > ${number(inner)}`,
    itemsOf,
  ])(random)
}

function amountOf(random: Random): string {
  const inner = () => pick(random, ['n1', 'n2', '(m1 ?? 2)', number(random)])
  return pick(random, [
    () => number(random),
    inner,
    () => `${inner()} + ${inner()} * ${inner()}`,
    () => `${inner()} - (${inner()} - ${inner()})`,
    () => `-${inner()} ^ 2`,
    () => `${inner()} / ${pick(random, ['2', 'n2', '4'])}`,
    () => `sum(map(l1, # * 2)) + len(l1)`,
    () => `count(l1, # > ${number(random)})`,
    () => `max([${inner()}, ${inner()}])`,
    () => `abs(${inner()} - 3)`,
    () => `${pick(random, ['floor', 'ceil', 'round', 'trunc'])}(${inner()} * 1.5)`,
    () => `n1 > ${number(random)} ? ${inner()} : ${inner()}`,
    () => `n1 in [1..3] and not (n2 == 2) ? 1 : 2`,
    () => `sum(map(filter(items, #.p > 1), #.p))`,
    () => 'sum(map(items as one, one.p * 2))',
    () => `a = ${inner()}; a * 2 + a`,
    () => `median([${inner()}, ${inner()}, ${inner()}])`,
    () => `${number(random)} ^ -1`,
  ])()
}

function textOf(random: Random): string {
  return pick(random, [
    () => word(random),
    () => `(s1 ?? 'x') + ${word(random)}`,
    () => `upper(s1 ?? 'none')`,
    () => '`n is ${n1} of ${s1 ?? "?"}`',
    () => `string(n1) + '/' + string(n2)`,
    () => 's1',
    () => `split('a,b', ',')[1]`,
  ])()
}

function itemsOf(random: Random): string {
  return pick(random, [
    'map(items, {price: #.p, twice: #.p * 2})',
    'filter(l1, # > 1)',
    '[n1, n2]',
    "['a', s1]",
    'items[0].p',
    'map(l1, map(items, #.p))',
    'flatMap(items, [#.p, 1])',
    'one(l1, # > 2)',
    'l1[1] ?? 7',
    'merge([{p: n1}, o1, {q: 2}])',
    'isNumeric(s1)',
    "extract(s1 ?? 'a', 'a+')",
  ])
}

/** An input in which some fields are missing. */
export function randomInput(random: Random): { readonly [name: string]: Value } {
  const amount = () => inRange(random, -2, 8) / 2
  const maybe = (given: Value): Value | undefined => {
    if (chance(random, 0.6)) return given
    return chance(random, 0.5) ? undefined : null
  }
  const list = (item: () => Value) => Array.from({ length: inRange(random, 0, 3) }, item)
  const fields: [string, Value | undefined][] = [
    ['n1', amount()],
    ['n2', amount()],
    ['m1', maybe(amount())],
    ['m2', maybe(amount())],
    ['t1', pick(random, ['2025-03-20T10:30:00Z', '2024-12-31', '2025-02-28 23:15:00', '2025-07-01T00:00:00+02:00'])],
    ['o1', maybe({ p: 1, z: [2] })],
    ['s1', maybe(pick(random, ['a', 'b', 'ab', 'ba']))],
    ['f1', maybe(chance(random, 0.5))],
    ['l1', list(amount)],
    ['items', list(() => ({ p: amount() }))],
    ['o', chance(random, 0.3) ? undefined : pick<Value>(random, [{ p: 1, z: 2 }, { p: null, q: 3 }, {}, null, 7])],
    ['k1', chance(random, 0.5) ? undefined : pick<Value>(random, [1, 'a', null, { p: 2 }])],
    ['r', chance(random, 0.7) ? undefined : pick<Value>(random, [{ k1: 1, o: { p: 3 } }, 5])],
  ]
  return Object.fromEntries(fields.filter((entry): entry is [string, Value] => entry[1] !== undefined))
}
