import { expect } from 'vitest'
import type { StudioProject } from './browser.testing.ts'

/** A ruleset with a price table by country, saved in a project. */
export async function savePriceTable({ team, path }: StudioProject, name: string): Promise<void> {
  const ruleset = {
    config: { name, version: '1.0.0' },
    startStepId: 'prices',
    steps: [
      {
        id: 'prices',
        name: 'Price by country',
        type: 'table',
        hitPolicy: 'first',
        columns: [
          { id: 'c1', kind: 'input', field: 'country' },
          { id: 'c2', kind: 'output', field: 'price' },
        ],
        rows: [
          { id: 'r1', cells: { c1: '"DE"', c2: '4.9' } },
          { id: 'r2', cells: { c1: '"AT"', c2: '6.9' } },
        ],
        nextStepId: 'done',
        defaultNextStepId: 'none',
      },
      {
        id: 'done',
        name: 'Priced',
        type: 'terminal',
        code: 'PRICED',
        message: '"Your price"',
        output: [{ name: 'price', value: '$price' }],
      },
      { id: 'none', name: 'No delivery', type: 'terminal', code: 'NO_DELIVERY' },
    ],
    samples: [{ name: 'Germany', input: { country: 'DE' } }],
  }
  const saved = await team.owner.request('POST', `${path}/rulesets/${name}`, { ruleset, expected_seq: 0 })
  expect(saved.status, saved.text).toBe(201)
}
