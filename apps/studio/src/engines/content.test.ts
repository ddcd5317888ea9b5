import { expect, test } from 'vitest'
import { othersAlike } from './content.ts'

const held = (name: string, digest: string, tenant: string | null = 'a') => ({ tenant, name, digest })

test('engines are alike by names, tenants and digests, in any order', () => {
  const alike = othersAlike([
    { id: '1', current_rulesets: [held('x', '00'), held('y', '11')] },
    { id: '2', current_rulesets: [held('y', '11'), held('x', '00')] },
    { id: '3', current_rulesets: [held('x', '00')] },
    { id: '4', current_rulesets: [held('x', '00', 'b')] },
    { id: '5', current_rulesets: [held('x', '01')] },
    { id: '6', current_rulesets: [] },
    { id: '7', current_rulesets: [] },
  ])
  expect([...alike]).toEqual([
    ['1', 1],
    ['2', 1],
    ['3', 0],
    ['4', 0],
    ['5', 0],
  ])
})
