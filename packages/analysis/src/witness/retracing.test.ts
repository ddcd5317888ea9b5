import type { Value } from '@engine/expression'
import { decodeRuleset, type Ruleset } from '@engine/ruleset'
import { expect, test, vi } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { inRange, pick, seededRandom } from '../../../ruleset/src/random.testing.ts'
import { analyze } from '../analyze.ts'
import { Retracing } from './retracing.ts'
import { Follower } from './trail.ts'

type Input = { readonly [name: string]: Value }

/** @param steps without their ids */
function rulesetOf(steps: { readonly [id: string]: { readonly [name: string]: Value } }, config = {}): Ruleset {
  const { ruleset, problems } = decodeRuleset({
    config: { name: 'graph', entry_step: 's0', ...config },
    steps: Object.fromEntries(Object.entries(steps).map(([id, step]) => [id, { id, ...step }])),
  })
  if (ruleset === undefined) throw new Error(problems[0]?.message)
  return ruleset
}

const end = (code: string, output: readonly Value[] = []) => ({
  type: 'terminal',
  result: { code, message: '', output },
})

/** A decision of one branch and a default, which often lead to the same step. */
const tests = (condition: string, yes: string, no = yes) => ({
  type: 'decision',
  branches: [{ condition, next_step: yes }],
  default_next: no,
})

const sets = (value: string, next: string, name = 'v') => ({
  type: 'action',
  actions: [
    { action: 'log', level: 'info', message: 'set' },
    { action: 'set_variable', name, value },
  ],
  next_step: next,
})

/** s0 to s7 in a row; s2 may leave by a detour, which sets a variable for `y`, and s4 may end. */
const ROW = rulesetOf({
  s0: tests('a == 1', 's1'),
  s1: sets('b', 's2'),
  s2: tests('c == 1', 'detour', 's3'),
  detour: sets('d', 's3'),
  s3: tests('e == 1', 's4'),
  s4: tests('f == 1', 'STOP', 's5'),
  s5: tests('$v == 1', 's6'),
  s6: tests('a == 2', 's7'),
  s7: tests('type($) == "object" && g == 1', 'END'),
  END: end('END', [
    ['g', 'g'],
    ['time', 'now_millis()'],
  ]),
  STOP: end('STOP'),
})

const ALL = ['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7', 'END']
const FROM_S3 = ALL.slice(3)

test.each<[title: string, first: Input, second: Input, executed: readonly string[]]>([
  ['nothing, for the same fields', { a: 1, b: 1 }, { b: 1, a: 1 }, []],
  ['the steps that read a changed field', { a: 1 }, { a: 2 }, ['s0', 's6', 's7']],
  ['those that read a new field', {}, { e: 1 }, ['s3', 's7']],
  ['those that read a field that is gone', { e: 1 }, {}, ['s3', 's7']],
  ['those that read a text instead of a number', { e: 1 }, { e: '1' }, ['s3', 's7']],
  ['those that read null instead of nothing', {}, { e: null }, ['s3', 's7']],
  ['those that read -0 instead of 0', { e: 0 }, { e: -0 }, ['s3', 's7']],
  ['those that read any field, for one that no other step reads', {}, { other: 1 }, ['s7']],
  ['the result, for a field of its outputs', { g: 2 }, { g: 3 }, ['s7', 'END']],
  ['a detour until it meets the same variables', { b: 1, d: 1 }, { b: 1, c: 1, d: 1 }, ['s2', 'detour', 's7']],
  ['a detour and all after it, with other variables', { b: 1 }, { b: 1, c: 1 }, ['s2', 'detour', ...FROM_S3]],
  ['all after another value of a variable', { b: 1 }, { b: 2 }, ['s1', 's2', ...FROM_S3]],
  ['not what it is not come to', { f: 1 }, { f: 1, a: 2 }, ['s0']],
  ['what follows where another one ended', { f: 1 }, {}, ['s4', 's5', 's6', 's7', 'END']],
])('after one input, another executes %s', (_title, first, second, executed) => {
  const follower = new Follower(ROW)
  const retracing = new Retracing(follower, ROW)
  retracing.follow({ input: first })
  const visit = vi.spyOn(follower, 'visit')
  const found = retracing.follow({ input: second })
  expect(visit.mock.calls.map(([id]) => id)).toEqual(executed)
  const alone = new Follower(ROW).follow(second)
  expect({ seen: found.seen, side: found.side }).toEqual(alone)
  expect(alone.seen).toEqual(expect.arrayContaining([...found.fresh]))
})

test('executions that need answers are made as a whole', () => {
  const follower = new Follower(ROW)
  const retracing = new Retracing(follower, ROW, true)
  retracing.follow({ input: {} })
  const visit = vi.spyOn(follower, 'visit')
  const { fresh, seen } = retracing.follow({ input: {} })
  expect(visit.mock.calls.map(([id]) => id)).toEqual(ALL)
  expect(fresh).toEqual(seen)
})

/** Two variables of which a detour sets one, and a call that is passed the whole input. */
const CALLING = rulesetOf({
  s0: sets('b', 's1', 'w'),
  s1: sets('a', 's2'),
  s2: tests('c == 1', 'detour', 's3'),
  detour: sets('d', 's3'),
  s3: tests('$v == $w', 's4'),
  s4: {
    type: 'action',
    actions: [{ action: 'call_ruleset', ruleset_name: 'other', result_variable: 'r' }],
    next_step: 's5',
  },
  s5: tests('$r.output.h == 1', 's6'),
  s6: tests('b == 1', 's7'),
  s7: { type: 'action', actions: [{ action: 'metric', name: 'm', value: 'g' }], next_step: 'END' },
  END: end('END'),
})
const OTHER = rulesetOf({ s0: end('OTHER', [['h', 'h']]) })

test.each<[title: string, first: Input, second: Input, executed: readonly string[]]>([
  [
    'one of two variables has another value',
    { b: 1, d: 2 },
    { b: 1, c: 1, d: 2 },
    ['s2', 'detour', 's3', 's4', 's5', 's6', 's7', 'END'],
  ],
  [
    'both have the same',
    { a: 2, b: 1, d: 2 },
    { a: 2, b: 1, c: 1, d: 2 },
    ['s2', 'detour', 's4', 's5', 's6', 's7', 'END'],
  ],
  ['a field is passed on', { h: 1 }, { h: 2 }, ['s4', 's5', 's6', 's7', 'END']],
])('where %s, the steps after it are executed again if they have to be', (_title, first, second, executed) => {
  const callees = new Map([['other', OTHER]])
  const follower = new Follower(CALLING, { callees })
  const retracing = new Retracing(follower, CALLING)
  retracing.follow({ input: first })
  const visit = vi.spyOn(follower, 'visit')
  const { side } = retracing.follow({ input: second })
  expect(visit.mock.calls.map(([id]) => id)).toEqual(executed)
  expect(side).toEqual(new Follower(CALLING, { callees }).follow(second).side)
  expect(side).toMatchObject({ code: 'END' })
})

test('an execution that ends early does not replace the one that the next is compared with', () => {
  const retracing = new Retracing(new Follower(ROW), ROW)
  const fresh = (input: Input) => retracing.follow({ input }).fresh
  fresh({})
  expect(fresh({ f: 1 })).toEqual(['step s4', 'taken s4 0', 'step STOP', 'code STOP'])
  expect(fresh({ e: 1 })).toEqual(['step s3', 'taken s3 0'])
  expect(fresh({ c: 1, d: 1 })).toContain('step detour')
  expect(fresh({ c: 1, d: 1, e: 1 }), 'a longer one does').toEqual(['step s3', 'taken s3 0'])
})

test('at another time all steps are executed again', () => {
  const retracing = new Retracing(new Follower(ROW), ROW)
  const counts = [0, 0, 5, 5, 0].map((now) => retracing.follow({ input: {}, now }).fresh.length)
  expect(counts).toEqual([17, 0, 17, 0, 17])
})

test.each([
  [
    'few steps and many ends',
    rulesetOf({
      ...Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`s${index}`, tests('a == 1', `s${index + 1}`)])),
      s7: end('END'),
      ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`e${index}`, end('OTHER')])),
    }),
  ],
  [
    'a loop',
    rulesetOf({
      ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`s${index}`, tests('a == 1', `s${index + 1}`)])),
      s9: tests('a == 1', 'END', 's0'),
      END: end('END'),
    }),
  ],
])('a ruleset with %s is executed as a whole', (_title, ruleset) => {
  const retracing = new Retracing(new Follower(ruleset), ruleset)
  for (const input of [{ a: 1 }, { a: 1 }, { a: 2 }]) {
    const alone = new Follower(ruleset).follow(input)
    expect(retracing.follow({ input })).toEqual({ ...alone, fresh: alone.seen })
  }
})

/** Conditions over few fields, of which some fail for some values, or read more than a single field. */
const CONDITIONS = [
  'a == 1',
  'a.b == 1',
  'b > 1',
  'exists(a.b)',
  'list[0] == 1',
  'exists(c)',
  'a == b',
  'list.* == 1',
  '$ == null',
  '$v == 1',
  '$w == 1',
  'now() > "1970-01-02"',
  'any(list, one => one == c)',
] as const

/** Decisions in a row, each of which leads to one of the next, or to an end. */
function graphOf(random: () => number): Ruleset {
  const length = inRange(random, 8, 12)
  const later = (index: number) => {
    const next = index + (inRange(random, 0, 3) === 0 ? inRange(random, 2, 4) : 1)
    return next < length ? `s${next}` : pick(random, ['END', 'FIELD', 'VARIABLE'])
  }
  const steps = Array.from({ length }, (_, index): [string, { readonly [name: string]: Value }] => [
    `s${index}`,
    {
      type: 'decision',
      branches: Array.from({ length: 3 }, (): Value => ({
        condition: pick(random, CONDITIONS),
        next_step: later(index),
        actions:
          inRange(random, 0, 5) === 0 ? [{ action: 'set_variable', name: pick(random, ['v', 'w']), value: 'b' }] : [],
      })),
      ...(inRange(random, 0, 20) > 0 && { default_next: later(index) }),
    },
  ])
  const mode = pick(random, ['lenient', 'strict', 'default'])
  return rulesetOf(
    {
      ...Object.fromEntries(steps),
      END: end('END'),
      FIELD: end('FIELD', [['c', 'c']]),
      VARIABLE: end('VARIABLE', [['v', '$v']]),
    },
    { field_missing: mode, ...(mode === 'default' && { defaults: { a: 1 } }) },
  )
}

const GRAPHS = casesOf(200)

test(`executions end after others like by themselves, and show the same altogether, in ${GRAPHS} graphs`, () => {
  printSeed(GRAPHS)
  const random = seededRandom(SEED)
  const values: readonly Value[] = [0, -0, 1, 2, 'x', null, true, [], [1], { b: 1 }, { b: null }]
  let [executed, all] = [0, 0]
  for (let count = 0; count < GRAPHS; count++) {
    const ruleset = graphOf(random)
    const ways = [{}, { compiles: false }, { inOrder: true }].map((options) => ({
      retracing: new Retracing(new Follower(ruleset, options), ruleset),
      shown: new Set<string>(),
    }))
    const plain = new Follower(ruleset)
    const seen = new Set<string>()
    let input: Input = {}
    for (let round = 0; round < 60; round++) {
      const { [pick(random, ['a', 'b', 'c', 'list'])]: _dropped, ...rest } = input
      input = rest
      if (inRange(random, 0, 3) > 0) input = { ...input, [pick(random, ['a', 'b', 'c', 'list'])]: pick(random, values) }
      const now = inRange(random, 0, 20) === 0 ? 86_400_000 : 0
      const alone = plain.follow(input, now, () => undefined)
      for (const key of alone.seen) seen.add(key)
      for (const { retracing, shown } of ways) {
        const found = retracing.follow({ input, now })
        expect(found.side, JSON.stringify([ruleset, input])).toEqual(alone.side)
        for (const key of found.fresh) shown.add(key)
        expect(shown, JSON.stringify(input)).toEqual(seen)
        executed += found.fresh.length
        all += alone.seen.length
      }
    }
  }
  expect(executed / all).toBeLessThan(0.9)
})

/** Decisions of three branches in a row, of which the last ends; each reads two fields of `fields`. */
function longGraph(length: number, fields: number): Ruleset {
  const steps = Array.from({ length }, (_, index): [string, { readonly [name: string]: Value }] => {
    const next = index === length - 1 ? 'END' : `s${index + 1}`
    const branches = [next, next, 'STOP'].map((next_step, branch): Value => ({
      condition: `f${index % fields} == "v${branch}" && n${index % fields} >= ${index}`,
      next_step,
    }))
    return [`s${index}`, { type: 'decision', branches, default_next: next }]
  })
  return rulesetOf({ ...Object.fromEntries(steps), END: end('END'), STOP: end('STOP') })
}

test('an analysis of twice the decisions executes about twice the steps, where each reads fields of its own', () => {
  const visit = vi.spyOn(Follower.prototype, 'visit')
  const visits = [40, 80].map((length) => {
    visit.mockClear()
    expect(analyze(longGraph(length, length), { compiles: false }).questions).toMatchObject({ unknown: 0, proved: 0 })
    return visit.mock.calls.length
  })
  visit.mockRestore()
  const [few = 0, many = 0] = visits
  expect(few).toBeGreaterThan(40)
  expect(many / few).toBeLessThan(2.5)
})

test('an analysis does not try inputs for errors of each decision after those of others were impossible', () => {
  const follow = vi.spyOn(Retracing.prototype, 'follow')
  const executions = [40, 80].map((length) => {
    follow.mockClear()
    analyze(longGraph(length, 10), { compiles: false })
    return follow.mock.calls.length
  })
  follow.mockRestore()
  const [few = 0, many = 0] = executions
  expect((many - few) / 40, 'for a decision of three branches, errors included').toBeLessThan(8)
})
