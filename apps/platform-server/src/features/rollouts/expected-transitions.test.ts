import { FAILED } from '@engine/canary'
import { expect, test } from 'vitest'
import { expectedIn } from './expected-transitions.ts'
import type { Progress } from './rollout-state.ts'

const progress = (expected?: unknown) => ({ expected }) as unknown as Progress
const transition = (from: string, environments: readonly string[], share?: number) => ({
  from,
  to: 'OK',
  environments,
  ...(share !== undefined && { share }),
})

test.each<[title: string, progress: Progress, expected: readonly object[]]>([
  ['none of an execution without any', progress(), []],
  [
    'those of the environment',
    progress([transition('NO', ['dev', 'prod']), transition('MAYBE', ['dev'])]),
    [{ from: 'NO', to: 'OK' }],
  ],
  ['with their share', progress([transition('NO', ['prod'], 0.1)]), [{ from: 'NO', to: 'OK', share: 0.1 }]],
  [
    'from any failure of the live version',
    progress([transition('error:DIVISION', ['prod'])]),
    [{ from: FAILED, to: 'OK' }],
  ],
])('a canary expects %s', (_title, given, expected) => {
  expect(expectedIn(given, 'prod')).toEqual(expected)
})
