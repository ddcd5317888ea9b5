import { describe, expect, test } from 'vitest'
import { cellsOf, type DraftItem, type Environment, type Release } from './board.ts'

const environment = (name: string, requires_release: boolean) => ({ name, requires_release }) as Environment
const ENVIRONMENTS = [environment('dev', false), environment('staging', true), environment('prod', true)]
const live = (name: string, seq: number | null, digest = `d${seq}`) => ({ environment: name, seq, digest })
const draft = (seq: number, ...at: readonly object[]) => ({ name: 'price', seq, live: at }) as unknown as DraftItem
const release = (status: Release['status'], environments: readonly string[], ruleset = 'price') =>
  ({ number: 14, status, environments, rulesets: [{ name: ruleset }] }) as unknown as Release
const shown = (...given: Parameters<typeof cellsOf>) => cellsOf(...given).map(({ drift, step }) => [drift.kind, step])

describe('a ruleset on the board', () => {
  test.each<[string, DraftItem, readonly Release[], readonly (readonly [string, string])[]]>([
    [
      'that is live nowhere is published first',
      draft(3),
      [],
      [
        ['none', 'publish'],
        ['none', 'none'],
        ['none', 'none'],
      ],
    ],
    [
      'with one content everywhere needs nothing',
      draft(3, live('dev', 3), live('staging', 3), live('prod', 3)),
      [],
      [
        ['same', 'same'],
        ['same', 'same'],
        ['same', 'same'],
      ],
    ],
    [
      'that was saved again is published, and then released',
      draft(5, live('dev', 3), live('staging', 2), live('prod', 2)),
      [],
      [
        ['behind', 'publish'],
        ['behind', 'release'],
        ['same', 'same'],
      ],
    ],
    [
      'with equal contents of different saves is the same',
      draft(9, live('dev', 9, 'x'), live('staging', 4, 'x')),
      [],
      [
        ['same', 'same'],
        ['same', 'same'],
        ['none', 'release'],
      ],
    ],
    [
      'that was rolled back in an earlier environment differs',
      draft(5, live('dev', 2), live('staging', 4)),
      [],
      [
        ['behind', 'publish'],
        ['different', 'release'],
        ['none', 'release'],
      ],
    ],
    [
      'with a content of an unknown save differs',
      draft(5, live('dev', null, 'x')),
      [],
      [
        ['different', 'publish'],
        ['none', 'release'],
        ['none', 'none'],
      ],
    ],
    [
      'with a release that waits',
      draft(5, live('dev', 5), live('staging', 4), live('prod', 4)),
      [release('pending_approval', ['staging'])],
      [
        ['same', 'same'],
        ['behind', 'waiting'],
        ['same', 'same'],
      ],
    ],
    [
      'does not wait for the release of another ruleset, nor for an ended one',
      draft(5, live('dev', 5), live('staging', 4)),
      [release('approved', ['staging'], 'tax'), release('rejected', ['staging'])],
      [
        ['same', 'same'],
        ['behind', 'release'],
        ['none', 'release'],
      ],
    ],
  ])('%s', (_title, item, releases, expected) => {
    expect(shown(item, ENVIRONMENTS, releases, [])).toEqual(expected)
  })

  test('shows how many saves it is behind, and the canary that runs', () => {
    const running = { release: release('executing', ['prod']), environment: 'prod', percent: 25 }
    const cells = cellsOf(draft(9, live('dev', 4), live('staging', 4), live('prod', 2)), ENVIRONMENTS, [], [running])
    expect(cells[0]?.drift).toEqual({ kind: 'behind', saves: 5 })
    expect(cells[2]).toMatchObject({ step: 'rolling', rolling: { percent: 25 } })
  })
})
