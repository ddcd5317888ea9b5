import type { Value } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { decodeDraft } from '../draft/decode.ts'
import { convertDraft } from './convert.ts'
import { endsTable } from './editor-places.ts'

const END: Value = { id: 'end', type: 'terminal', code: 'END' }
const table = (hitPolicy: string, more: object): Value => ({
  id: 't',
  type: 'table',
  hitPolicy,
  columns: [
    { id: 'c', kind: 'input', field: 'age' },
    { id: 'o', kind: 'output', field: 'rate' },
  ],
  rows: [
    { id: 'r0', cells: { c: '< 18', o: '1' } },
    { id: 'r1', cells: { c: '>= 18', o: '2' } },
  ],
  nextStepId: 'end',
  ...more,
})

/** Whether each branch of the decisions in the converted draft ends its table. */
function ends(document: { readonly [key: string]: Value }) {
  const { draft } = decodeDraft({ config: { name: 'x' }, ...document })
  const places = convertDraft(draft ?? { config: { name: 'x' }, steps: [] })
  const { ruleset } = decodeRuleset(places.ruleset ?? null)
  if (ruleset === undefined) throw new Error(JSON.stringify(places.problems))
  return [...ruleset.steps.values()].flatMap((step) =>
    step.type === 'decision'
      ? step.branches.map((_branch, index) =>
          endsTable(ruleset, places, `/steps/${step.id.replaceAll('/', '~1')}/branches/${index}`),
        )
      : [],
  )
}

describe('the last row of a table ends it', () => {
  test.each(['first', 'unique'])('where the draft does not state a default, with the hit policy %s', (hitPolicy) => {
    const found = ends({ startStepId: 't', steps: [table(hitPolicy, {}), END] })
    expect([found.at(-1), found.slice(0, -1).includes(true)]).toEqual([true, false])
  })

  test('also in a sub-rule', () => {
    const use: Value = { id: 'a/b', type: 'sub_rule', refName: 'fee', nextStepId: 'end' }
    const subRules = { fee: { startStepId: 't', steps: [table('first', {}), END] } }
    expect(ends({ startStepId: 'a/b', steps: [use, END], subRules })).toEqual([false, true])
  })

  test('not where it states one', () => {
    const steps = [table('first', { defaultNextStepId: 'end' }), END]
    expect(ends({ startStepId: 't', steps })).toEqual([false, false])
  })

  test('a decision is no table', () => {
    const branches = [{ id: 'x', condition: 'true', nextStepId: 'end' }]
    const steps = [{ id: 'd', type: 'decision', branches, defaultNextStepId: 'end' }, END]
    expect(ends({ startStepId: 'd', steps })).toEqual([false])
  })
})
