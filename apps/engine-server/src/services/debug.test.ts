import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { createHost } from './host.ts'
import { createCapabilities, decodeRuleset } from '@engine/ruleset'
import { memoryLog } from '../../../../packages/process/src/log.testing.ts'
import { createDebugService } from './debug.ts'
import { documentOf, executionOf, outcomeOf, OUTSIDE } from './services.testing.ts'

const checked: Value[] = []
const { programs } = await executionOf([{ name: 'stored', condition: 'a > 1' }], { contracts: 'off' })
const service = createDebugService(
  programs,
  () =>
    createHost({
      rulesets: programs.resolver,
      capabilities: createCapabilities(),
      log: memoryLog().log,
      metrics: { reported: () => {}, callFailed: () => {} },
      requestMs: 30_000,
    }),
  async (document) => {
    checked.push(document)
    const { ruleset } = decodeRuleset(document)
    if (ruleset === undefined) throw new Error('no ruleset')
    return ruleset
  },
)

interface Shown {
  readonly tokens: readonly { readonly kind: string; readonly text: string; readonly start: number }[]
  readonly parsed: string
  readonly code: string
  readonly steps: readonly { readonly expression: string; readonly value?: unknown; readonly error?: string }[]
}
const shown = async (expression: string, context: Value = {}, numbers: 'double' | 'decimal' = 'double') =>
  JSON.parse(await service.evaluate(expression, context, numbers)) as Shown

describe('an expression is shown', () => {
  test('with its tokens, its form, its code and the values of its parts', async () => {
    const found = await shown('a + 1 > 2', { a: 1 })
    expect(found.tokens.map(({ text, start }) => [text, start])).toEqual([
      ['a', 0],
      ['+', 2],
      ['1', 4],
      ['>', 6],
      ['2', 8],
    ])
    expect(found.parsed).toBe('((a + 1) > 2)')
    expect(found.code).not.toBe('')
    expect(found.steps).toEqual([
      { expression: 'a', value: 1 },
      { expression: '1', value: 1 },
      { expression: '(a + 1)', value: 2 },
      { expression: '2', value: 2 },
      { expression: '((a + 1) > 2)', value: false },
    ])
  })

  test('with the failure of a part', async () => {
    const { steps } = await shown('no && 1 / a > 2', { no: false, a: 0 })
    expect(steps.find(({ expression }) => expression === '(1 / a)')).toEqual({
      expression: '(1 / a)',
      error: expect.stringContaining('zero') as string,
    })
    expect(steps.at(-1)?.value).toBe(false)
  })

  test('except what is inside a lambda', async () => {
    const { steps } = await shown('any(l, x => x > 1)', { l: [2] })
    expect(steps.map(({ expression }) => expression)).toEqual(['l', 'any(l, x => (x > 1))'])
  })

  test.each([
    ['double', 0.30000000000000004],
    ['decimal', 0.3],
  ] as const)('with numbers as %s', async (numbers, sum) => {
    expect((await shown('0.1 + a', { a: 0.2 }, numbers)).steps.at(-1)?.value).toBe(sum)
  })

  test('with the values of 200 parts, and of the whole', async () => {
    const { steps } = await shown(`max(${Array.from({ length: 300 }, (_, index) => `a${index}`).join(', ')})`)
    expect([steps.length, steps.at(-2)?.expression]).toEqual([201, 'a199'])
  })

  test('without values that would make the answer too large', async () => {
    const { steps } = await shown('[s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s]', {
      s: 'x'.repeat(1_000_000),
    })
    expect(steps.at(-1)).toEqual({
      expression: expect.any(String) as string,
      error: 'the value is not shown: with it the answer would be too large',
    })
  })

  test('not if it takes too long', async () => {
    expect(await outcomeOf(() => shown('any(range(0, 1000000), i => any(range(0, 1000000), j => j < 0))'))).toMatch(
      /^timeout: /,
    )
  })
})

describe('an execution is shown', () => {
  test('of a stored ruleset', async () => {
    expect(JSON.parse(await service.execute('stored', { a: 2 }, OUTSIDE))).toMatchObject({ result: { code: 'PERMIT' } })
    expect(await outcomeOf(() => service.execute('none', {}, OUTSIDE))).toBe('not-found: ruleset `none` not found')
    expect(await outcomeOf(() => service.execute('stored', [], OUTSIDE))).toMatch(
      /^invalid-request: `input` must be an object/,
    )
  })

  test('of a sent one, once it is checked, and with the limits of the server', async () => {
    const contract = {
      mode: 'enforce',
      contract: { name: 'c', version: '1', input: { fields: [{ name: 'a', type: 'number', required: true }] } },
    }
    checked.length = 0
    const document = documentOf({ name: 'sent', condition: 'a > 1', config: { contract } })
    expect(JSON.parse(await service.executeInline(document, {}, OUTSIDE))).toMatchObject({ result: { code: 'DENY' } })
    expect(checked).toEqual([document])
  })
})
