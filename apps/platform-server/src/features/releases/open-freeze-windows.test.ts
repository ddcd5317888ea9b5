import { describe, expect, test } from 'vitest'
import { openWindows } from './open-freeze-windows.ts'

/** Frozen on Friday evenings. */
const NIGHT = {
  name: 'night',
  environments: ['prod'],
  freeze_window: { cron: '0 18 * * 5', duration: '2h' },
} as unknown as Parameters<typeof openWindows>[0][number]
const ANY = { ...NIGHT, name: 'any', environments: [] }
const OPEN = { ...NIGHT, name: 'open', freeze_window: null }

const frozen = (policies: readonly (typeof NIGHT)[], now: string, environments = ['prod', 'dev']) =>
  openWindows(policies, environments, new Date(now)).map(({ environmentId, policy }) => `${environmentId} by ${policy}`)

describe('an environment is frozen', () => {
  test.each<[string, readonly (typeof NIGHT)[], string, readonly string[]]>([
    ['not before the window', [NIGHT], '2026-11-20T17:59:59.999Z', []],
    ['from its first moment', [NIGHT], '2026-11-20T18:00:00.000Z', ['prod by night']],
    ['in its last minute', [NIGHT], '2026-11-20T19:59:30.000Z', ['prod by night']],
    ['to its last millisecond', [NIGHT], '2026-11-20T19:59:59.999Z', ['prod by night']],
    ['not after it', [NIGHT], '2026-11-20T20:00:00.000Z', []],
    ['by a policy for all', [ANY], '2026-11-20T19:00:00.000Z', ['prod by any', 'dev by any']],
    ['by the first policy that matches', [NIGHT, ANY], '2026-11-20T19:00:00.000Z', ['prod by night', 'dev by any']],
    ['not where the first policy has no window', [OPEN, ANY], '2026-11-20T19:00:00.000Z', ['dev by any']],
    ['not without a policy', [], '2026-11-20T19:00:00.000Z', []],
  ])('%s', (_, policies, now, environments) => expect(frozen(policies, now)).toEqual(environments))

  test('until its window closes', () => {
    expect(openWindows([NIGHT], ['prod'], new Date('2026-11-20T18:30:00Z'))[0]?.until).toEqual(
      new Date('2026-11-20T20:00:00Z'),
    )
  })
})
