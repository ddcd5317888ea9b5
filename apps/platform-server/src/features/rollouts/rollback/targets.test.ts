import { describe, expect, test } from 'vitest'
import { backOf } from './targets.ts'

const DIFF = {
  environment: 'prod',
  ruleset: 'fee',
  base: { version: '1.0.0', digest: 'old', release_id: 'r1' },
  removed: false,
  steps_added: ['new'],
  steps_removed: ['gone'],
  branches_changed: [
    { step: 's', branch: 'a', change: 'added', changes: [{ path: '/condition', before: null, after: 'x > 1' }] },
    { step: 's', branch: 'b', change: 'removed', changes: [{ path: '/condition', before: 'y', after: null }] },
    { step: 's', branch: 'c', change: 'changed', changes: [{ path: '/condition', before: 'a', after: 'b' }] },
  ],
  contract: { level: 'minor' },
}
const TARGET = {
  org_id: 'o',
  release_id: 'r2',
  environment_id: 'e',
  name: 'fee',
  digest: 'new',
  version: '2.0.0',
  contract: { name: 'fee', version: '2.0.0' },
  base_digest: 'old',
  base_version: '1.0.0',
  base_contract: { name: 'fee', version: '1.0.0' },
  base_release_id: 'r1',
  diff: DIFF,
} as unknown as Parameters<typeof backOf>[0]

describe('the rollback of a ruleset', () => {
  test('restores the earlier live content in place of the released one', () => {
    const { diff: _, ...back } = backOf(TARGET, 'r2')
    expect(back).toEqual({
      name: 'fee',
      digest: 'old',
      version: '1.0.0',
      contract: { name: 'fee', version: '1.0.0' },
      from: 'r1',
      base_digest: 'new',
      base_version: '2.0.0',
      base_contract: { name: 'fee', version: '2.0.0' },
      base_release_id: 'r2',
    })
  })

  test('shows the opposite of what the release has changed', () => {
    expect(backOf(TARGET, 'r2').diff).toEqual({
      environment: 'prod',
      ruleset: 'fee',
      base: { version: '2.0.0', digest: 'new', release_id: 'r2' },
      removed: false,
      steps_added: ['gone'],
      steps_removed: ['new'],
      branches_changed: [
        { step: 's', branch: 'a', change: 'removed', changes: [{ path: '/condition', before: 'x > 1', after: null }] },
        { step: 's', branch: 'b', change: 'added', changes: [{ path: '/condition', before: null, after: 'y' }] },
        { step: 's', branch: 'c', change: 'changed', changes: [{ path: '/condition', before: 'b', after: 'a' }] },
      ],
      contract: null,
    })
  })

  test('removes a ruleset that was not live before', () => {
    const back = backOf(
      { ...TARGET, base_digest: null, base_version: null, base_release_id: null, base_contract: null },
      'r2',
    )
    expect(back).toMatchObject({ digest: null, version: null, contract: null, from: null, diff: { removed: true } })
  })

  test('restores a ruleset that the release has removed', () => {
    const back = backOf({ ...TARGET, digest: null, version: null, contract: null }, 'r2')
    expect(back).toMatchObject({
      digest: 'old',
      base_digest: null,
      base_release_id: null,
      diff: { base: null, removed: false },
    })
  })
})
