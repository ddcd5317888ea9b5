import type { DraftRuleset, IntendedFinding } from '@engine/authoring'
import { describe, expect, test } from 'vitest'
import { LargeDraft } from '../../compute/large-draft.ts'
import { sentDraft, sentSubject, smallDraft, storedDraft } from './sent-draft.ts'

const DRAFT = {
  config: { name: 'fee', version: '1.0.0' },
  startStepId: 'end',
  steps: [{ id: 'end', type: 'terminal', code: 'OK' }],
} as unknown as DraftRuleset
const INTENDED: readonly IntendedFinding[] = [{ finding: 'gap', place: '/steps/end', reason: 'é' }]
const MARKED = '{"config":{"name":"fee","intended":[1,2]},"steps":[]}'
const AT = [MARKED.indexOf('['), MARKED.indexOf(']') + 1] as const
const large = (text: string, intendedAt?: readonly [number, number]) =>
  new LargeDraft({ text, config: DRAFT.config, uses: ['x'], ...(intendedAt !== undefined && { intendedAt }) }, [])

describe('a draft of a request', () => {
  test('that is small is decoded, with what it refers to', () => {
    const ruleset = {
      ...DRAFT,
      steps: [...DRAFT.steps, { id: 's', type: 'sub_rule', refName: 'shared', nextStepId: 'end' }],
    }
    const sent = sentDraft(ruleset)
    expect([sent.config.name, sent.uses, 'draft' in sent.subject]).toEqual(['fee', ['shared'], true])
  })

  test.each<[title: string, ruleset: unknown]>([
    ['is no object', 'fee'],
    ['has no config', { steps: [] }],
    [
      'was read with problems',
      new LargeDraft(undefined, [{ path: '/steps', message: 'is missing', code: 'c', severity: 'error' }]),
    ],
  ])('that %s is refused, with the place in the request', (_title, ruleset) => {
    let refusal: unknown
    try {
      sentDraft(ruleset)
    } catch (error) {
      refusal = error
    }
    expect(refusal).toMatchObject({
      code: 'invalid-request',
      details: expect.arrayContaining([expect.objectContaining({ path: expect.stringMatching(/^\/ruleset/) })]),
    })
  })

  test('that is large stays text', () => {
    expect(sentDraft(large(MARKED))).toMatchObject({ uses: ['x'], subject: { draftText: MARKED } })
  })
})

describe('the stored text', () => {
  test.each<[title: string, text: () => unknown, expected: string]>([
    ['of a large draft is what was sent', () => sentDraft(large(MARKED, AT)).text(), MARKED],
    [
      'of a large draft has other findings in their place',
      () => sentDraft(large(MARKED, AT)).text(INTENDED),
      `{"config":{"name":"fee","intended":${JSON.stringify(INTENDED)}},"steps":[]}`,
    ],
    ['of a large draft without findings is what was sent', () => sentDraft(large('{}')).text(INTENDED), '{}'],
    ['of a small draft is the draft', () => smallDraft(DRAFT).text(), JSON.stringify(DRAFT)],
    [
      'of a small draft has other findings',
      () => smallDraft(DRAFT).text(INTENDED),
      JSON.stringify({ ...DRAFT, config: { ...DRAFT.config, intended: INTENDED } }),
    ],
    ['of a stored draft is itself', () => storedDraft('{"a":1}', { config: DRAFT.config, uses: [] }).text(), '{"a":1}'],
  ])('%s', async (_title, text, expected) => {
    expect(await text()).toBe(expected)
  })
})

test('a stored draft of more than 128 KiB stays text', () => {
  const stored = (length: number) => {
    const text = JSON.stringify({ ...DRAFT, note: '' })
    const padded = text.replace('"note":""', `"note":"${'x'.repeat(length - text.length)}"`)
    return storedDraft(padded, { config: DRAFT.config, uses: [] }).subject
  }
  expect([stored(128 * 1024), stored(128 * 1024 + 1)].map((subject) => 'draftText' in subject)).toEqual([false, true])
})

test('the subject of a draft has what it refers to', () => {
  const references = { subRules: new Map(), contract: undefined }
  expect(sentSubject(sentDraft(large('{}')), references)).toEqual({ ...references, draftText: '{}' })
  expect(sentSubject(smallDraft(DRAFT), references)).toEqual({ ...references, draft: DRAFT })
})
