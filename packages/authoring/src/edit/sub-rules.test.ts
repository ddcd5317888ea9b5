import { stringifyJson, type Value } from '@engine/expression'
import { createProgram, decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { testHost } from '../../../ruleset/src/host.testing.ts'
import { pick, type Random, seededRandom, some } from '../../../ruleset/src/random.testing.ts'
import { convertDraft } from '../convert/convert.ts'
import { decodeDraft } from '../draft/decode.ts'
import type { DraftRuleset } from '../draft/model.ts'
import { interpretDraft } from '../interpret.testing.ts'
import { randomDraft, randomInput } from '../random.testing.ts'
import { extractSubRule } from './extract.ts'
import { inlineSubRule } from './inline.ts'

const CASES = casesOf(1000, 30)
const INPUTS_EACH = 4

function decoded(document: Value): DraftRuleset {
  const { draft, problems } = decodeDraft(document)
  if (draft === undefined) throw new Error(JSON.stringify(problems))
  return draft
}

function edited<Result extends object>(edit: Result): Extract<Result, { readonly kind: 'edited' }> {
  if (!('kind' in edit) || edit.kind !== 'edited') throw new Error(JSON.stringify(edit))
  return edit as Extract<Result, { readonly kind: 'edited' }>
}

function outcome(run: () => unknown): string {
  try {
    const { code, message, output } = run() as { code: string; message: string; output: Value }
    return stringifyJson({ code, message, output })
  } catch {
    return 'error'
  }
}

/** Executes a draft with the engine; throws when it has errors. */
function engine(draft: DraftRuleset): (input: Value) => unknown {
  const converted = convertDraft(draft)
  const { ruleset } = converted.ruleset === undefined ? {} : decodeRuleset(converted.ruleset)
  if (ruleset === undefined) throw new Error(JSON.stringify({ draft, problems: converted.problems }, undefined, 1))
  const program = createProgram(ruleset, testHost())
  return (input) => program.decide(input)
}

/** A selection that can be extracted, found in several attempts. */
function extraction(random: Random, draft: DraftRuleset) {
  const ids = draft.steps.filter(({ type }) => type !== 'terminal').map(({ id }) => id)
  for (let tries = 0; tries < 8; tries++) {
    const found = extractSubRule(draft, some(random, ids, 1, ids.length), { name: 'extracted' })
    if (found.kind === 'edited') return found
  }
  return undefined
}

test(`${CASES} random drafts decide the same with a part extracted, with it inlined again, and with any sub-rule inlined`, () => {
  printSeed(CASES)
  const random = seededRandom(SEED)
  const seen = { extracted: 0, strict: 0, several: 0, outputs: 0, inlined: 0 }
  for (let count = 0; count < CASES; count++) {
    const draft = decoded(randomDraft(random))
    const found = extraction(random, draft)
    const drafts = [draft]
    if (found !== undefined) {
      const back = edited(inlineSubRule(found.draft, found.stepId)).draft
      drafts.push(found.draft, back)
      const steps = found.draft.subRules?.['extracted']?.steps ?? []
      const use = found.draft.steps.find(({ id }) => id === found.stepId)
      seen.extracted++
      if (draft.config.fieldMissing === 'strict') seen.strict++
      if (steps.length > 2) seen.several++
      if (use?.type === 'sub_rule' && use.outputs.length > 0) seen.outputs++
    }
    const uses = draft.steps.filter(({ type }) => type === 'sub_rule')
    if (uses.length > 0) {
      drafts.push(edited(inlineSubRule(draft, pick(random, uses).id)).draft)
      seen.inlined++
    }
    const programs = drafts.map(engine)
    for (let round = 0; round < INPUTS_EACH; round++) {
      const input = randomInput(random)
      const expected = outcome(() => interpretDraft(draft, input))
      for (const [index, one] of drafts.entries()) {
        const results = [outcome(() => interpretDraft(one, input)), outcome(() => programs[index]?.(input))]
        if (results.some((result) => result !== expected))
          throw new Error(JSON.stringify({ expected, results, input, draft, one }, undefined, 1))
      }
    }
  }
  expect(Math.min(seen.extracted, seen.inlined)).toBeGreaterThan(CASES / 4)
  expect(Math.min(seen.strict, seen.several, seen.outputs)).toBeGreaterThan(CASES / 20)
}, 1_200_000)

const END: Value = { id: 'end', type: 'terminal', code: 'END', output: [{ name: 'rate', value: '$rate' }] }
const action = (id: string, nextStepId: string, ...assignments: readonly (readonly [string, string])[]): Value => ({
  id,
  type: 'action',
  assignments: assignments.map(([name, value]) => ({ name, value })),
  nextStepId,
})
const choice = (id: string, condition: string, yes: string, no: string): Value => ({
  id,
  type: 'decision',
  branches: [{ id: 'b', condition, nextStepId: yes }],
  defaultNextStepId: no,
})
const draftOf = (steps: readonly Value[], config: object = {}, subRules: object = {}): DraftRuleset =>
  decoded({ config: { name: 'x', ...config }, startStepId: 'a', steps: [...steps, END], subRules: { ...subRules } })

test('steps become a sub-rule: what they read is bound, what they set comes out', () => {
  const draft = draftOf([
    { ...(action('a', 'c', ['limit', 'order.total * 2'], ['rate', '0']) as object), position: { x: 1 } },
    { ...(choice('c', 'order.total > $limit', 's', 'end') as object), name: 'Large?', position: { x: 2 } },
    action('s', 'end', ['rate', 'fee + $rate'], ['unread', '1']),
  ])
  const found = edited(extractSubRule(draft, ['c', 's'], { name: 'fees' }))
  expect(found.stepId).toBe('fees')
  expect(found.draft).toEqual(
    draftOf(
      [
        { ...(action('a', 'fees', ['limit', 'order.total * 2'], ['rate', '0']) as object), position: { x: 1 } },
        {
          id: 'fees',
          type: 'sub_rule',
          name: 'fees',
          position: { x: 2 },
          refName: 'fees',
          bindings: [
            { field: 'order', expr: 'order' },
            { field: 'fee', expr: 'fee' },
            { field: 'limit', expr: '$limit' },
            { field: 'rate', expr: '$rate' },
          ],
          outputs: [{ parentVar: 'rate_out', childVar: 'rate' }],
          nextStepId: 'fees_outputs',
        },
        action('fees_outputs', 'end', ['rate', '$rate_out']),
      ],
      {},
      {
        fees: {
          startStepId: 'inputs',
          steps: [
            action('inputs', 'c', ['rate', 'rate']),
            { ...(choice('c', 'order.total > limit', 's', 'end') as object), name: 'Large?', position: { x: 2 } },
            action('s', 'end', ['rate', 'fee + $rate'], ['unread', '1']),
            { id: 'end', type: 'terminal', code: 'DONE' },
          ],
        },
      },
    ),
  )
  const [first] = draft.steps
  expect(found.draft.steps.at(-1)).toBe(draft.steps.at(-1))
  expect(found.draft.steps[0]).not.toBe(first)
})

const LOOP = [choice('a', 'again', 'b', 'end'), action('b', 'a', ['rate', '1'])]
const FORK = [choice('a', 'x', 'b', 'c'), action('b', 'end', ['rate', '1']), choice('c', 'y', 'b', 'end')]

test.each<[what: string, draft: DraftRuleset, selected: readonly string[], code: string, steps: readonly string[]]>([
  ['no step', draftOf(FORK), [], 'nothing-selected', []],
  ['an unknown step', draftOf(FORK), ['a', 'z'], 'unknown-step', ['z']],
  ['a terminal', draftOf(FORK), ['b', 'end'], 'terminal-selected', ['end']],
  ['several entries', draftOf(FORK), ['b', 'c'], 'several-entries', ['b', 'c']],
  ['several exits', draftOf(FORK), ['a'], 'several-exits', ['c', 'b']],
  ['no exit', decoded({ config: { name: 'x' }, steps: [{ id: 'a', type: 'action' }] }), ['a'], 'no-exit', []],
  ['no entry', draftOf([END, action('p', 'q'), action('q', 'p')]), ['p', 'q'], 'no-entry', []],
  ['a part of a loop', draftOf(LOOP), ['b'], 'loop', ['b']],
  ['the whole input', draftOf([action('a', 'end', ['rate', '$'])]), ['a'], 'reads-input', ['a']],
  ['no expression', draftOf([action('a', 'end', ['rate', '1 +'])]), ['a'], 'unreadable-expression', ['a']],
  [
    'a variable that may be missing, which is an error',
    draftOf([choice('a', 'x', 'b', 'c'), action('b', 'c', ['rate', '1']), action('c', 'end', ['rate', '$rate + 1'])], {
      fieldMissing: 'strict',
    }),
    ['c'],
    'maybe-missing',
    [],
  ],
  [
    'a variable that may be missing, which is tested',
    draftOf([choice('a', 'x', 'b', 'c'), action('b', 'c', ['rate', '1']), choice('c', 'exists($rate)', 'end', 'end')]),
    ['a', 'b'],
    'maybe-missing',
    [],
  ],
])('a sub-rule of %s is refused', (_what, draft, selected, code, steps) => {
  expect(extractSubRule(draft, selected, { name: 'part' })).toMatchObject({ kind: 'refused', code, steps })
})

test('names that are taken are refused', () => {
  const draft = draftOf([action('a', 'end', ['rate', '1'])], {}, { part: { steps: [] } })
  const codeOf = (options: Parameters<typeof extractSubRule>[2]) => {
    const found = extractSubRule(draft, ['a'], options)
    return found.kind === 'refused' ? found.code : found.kind
  }
  expect(codeOf({ name: 'part' })).toBe('name-taken')
  expect(codeOf({ name: '' })).toBe('empty-name')
  expect(codeOf({ name: 'new', stepId: 'end' })).toBe('id-taken')
  expect(codeOf({ name: 'new', within: 'none' })).toBe('unknown-sub-rule')
  expect(codeOf({ name: '__proto__' })).toBe('edited')
})

test('a part of a sub-rule becomes a sub-rule that it uses', () => {
  const inner = { startStepId: 'a', steps: [action('a', 'end', ['rate', 'age * 2']), END] }
  const use = { id: 'a', type: 'sub_rule', refName: 'outer', bindings: [{ field: 'age', expr: 'years' }] }
  const outputs = [{ parentVar: 'rate', childVar: 'rate' }]
  const draft = draftOf([{ ...use, outputs, nextStepId: 'end' }], {}, { outer: inner })
  const found = edited(extractSubRule(draft, ['a'], { name: 'part', within: 'outer' })).draft
  expect(Object.keys(found.subRules ?? {})).toEqual(['outer', 'part'])
  expect(engine(found)({ years: 4 })).toEqual(engine(draft)({ years: 4 }))
  const back = edited(inlineSubRule(found, 'part', { within: 'outer' })).draft
  expect(engine(back)({ years: 4 })).toEqual(engine(draft)({ years: 4 }))
})

test('a sub-rule is inlined with other names where they collide, constants evaluated once, and the earlier value where it gives none', () => {
  const graph = {
    startStepId: 'a',
    steps: [
      choice('a', 'score >= limit', 'b', 'end'),
      action('b', 'end', ['grade', '"passed " + name']),
      { id: 'end', type: 'terminal' },
    ],
  }
  const use: Value = {
    id: 'use',
    name: 'Grade',
    type: 'sub_rule',
    refName: 'grade',
    bindings: [
      { field: 'score', expr: 'maths.points' },
      { field: 'limit', expr: '30 + 30' },
    ],
    outputs: [{ parentVar: 'rate', childVar: 'grade' }],
    nextStepId: 'end',
  }
  const draft = draftOf([action('a', 'use', ['rate', '0'], ['limit', '1']), use])
  const assets = new Map([['grade', decoded({ config: { name: 'x' }, ...graph })]])
  const found = edited(inlineSubRule(draft, 'use', { subRules: assets })).draft
  expect(found).toEqual(
    draftOf([
      action('a', 'use', ['rate', '0'], ['limit', '1']),
      { ...(action('use', 'a_2', ['limit_2', '30 + 30'], ['grade', 'null']) as object), name: 'Grade' },
      choice('a_2', 'maths.points >= $limit_2', 'b', 'end_2'),
      action('b', 'end_2', ['grade', '"passed " + $name']),
      action('end_2', 'end', ['rate', 'coalesce($grade, $rate)']),
    ]),
  )
})

test('a sub-rule sees only its bound inputs', () => {
  const inner = { startStepId: 'a', steps: [action('a', 'end', ['rate', '$']), END] }
  const bindings = [
    { field: 'age', expr: 'years' },
    { field: 'double', expr: 'years * 2' },
  ]
  const use = { id: 'a', type: 'sub_rule', refName: 'all', bindings, outputs: [{ parentVar: 'rate' }] }
  const draft = draftOf([{ ...use, nextStepId: 'end' }], {}, { all: inner })
  const found = edited(inlineSubRule(draft, 'a')).draft
  expect(engine(found)({ years: 4 })).toMatchObject({ output: { rate: { age: 4, double: 8 } } })
  expect(engine(found)({ years: 4 })).toEqual(engine(draft)({ years: 4 }))
})

test.each<[what: string, steps: readonly Value[], stepId: string, code: string]>([
  ['no step', [], 'z', 'unknown-step'],
  ['an action', [action('a', 'end')], 'a', 'not-a-sub-rule'],
  ['an unknown name', [{ id: 'a', type: 'sub_rule', refName: 'none' }], 'a', 'unknown-sub-rule'],
  ['no name', [{ id: 'a', type: 'sub_rule' }], 'a', 'unknown-sub-rule'],
  ['no first step', [{ id: 'a', type: 'sub_rule', refName: 'empty' }], 'a', 'no-start-step'],
  [
    'a binding that is not an expression',
    [{ id: 'a', type: 'sub_rule', refName: 'one', bindings: [{ field: 'x', expr: '1 +' }] }],
    'a',
    'unreadable-expression',
  ],
  ['text that is not an expression', [{ id: 'a', type: 'sub_rule', refName: 'bad' }], 'a', 'unreadable-expression'],
])('inlining %s is refused', (_what, steps, stepId, code) => {
  const one = { startStepId: 'end', steps: [END] }
  const bad = { startStepId: 'a', steps: [action('a', 'end', ['x', '1 +']), END] }
  const draft = draftOf(steps, {}, { empty: { steps: [] }, one, bad })
  expect(inlineSubRule(draft, stepId)).toMatchObject({ kind: 'refused', code })
})

test('a table of 30,000 rows is extracted and inlined in one pass over its rows', () => {
  const rows = Array.from({ length: 30_000 }, (_, index) => ({
    id: `r${index}`,
    cells: { c: `${index}`, o: '$limit' },
    nextStepId: 'end',
  }))
  const columns = [
    { id: 'c', kind: 'input', field: 'age' },
    { id: 'o', kind: 'output', field: 'rate' },
  ]
  const table: Value = { id: 't', type: 'table', hitPolicy: 'first', columns, rows, nextStepId: 'end' }
  const draft = draftOf([action('a', 't', ['limit', '1']), table])
  const found = edited(extractSubRule(draft, ['t'], { name: 'part' })).draft
  const back = edited(inlineSubRule(found, 'part')).draft
  const step = back.steps.find(({ id }) => id === 't')
  expect(step?.type === 'table' && step.rows[29_999]).toEqual({
    id: 'r29999',
    cells: { c: '29999', o: '$limit' },
    nextStepId: 'end_2',
  })
})
