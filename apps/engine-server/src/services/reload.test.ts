import { expect, test } from 'vitest'
import { sample } from '../store/store.testing.ts'
import { type Refreshed, type RejectedFile, StoreError } from '../store/store.ts'
import { createReloadService } from './reload.ts'

const [one, two] = [sample('a', '1'), sample('a', '2')]

/** The events and log lines when the store answers so, one answer after the other. */
async function told(
  names: readonly string[],
  answers: readonly (Refreshed | Error)[],
  isFull = false,
  rejected: readonly RejectedFile[] = [],
) {
  const said: string[] = []
  const left = [...answers]
  const note = (_fields: object, message: string) => void said.push(message)
  const service = createReloadService({
    catalog: {
      rejected,
      refresh: async (name) => {
        said.push(`look at ${name}`)
        const answer = left.shift() ?? { kind: 'unchanged', rejected: 0 }
        if (answer instanceof Error) throw answer
        return answer
      },
    },
    counted: (result) => said.push(result),
    log: { info: () => undefined, warn: note, error: note },
  })
  await service.reload(new Set(names), isFull)
  return said
}

test.each<[what: string, answers: readonly (Refreshed | Error)[], said: readonly string[]]>([
  ['nothing', [{ kind: 'unchanged', rejected: 0 }], []],
  ['two bad files', [{ kind: 'unchanged', rejected: 2 }], ['rejected', 'rejected']],
  ['a new ruleset', [{ kind: 'taken-over', ruleset: one, previous: undefined, rejected: 0 }], ['applied']],
  ['a changed one', [{ kind: 'taken-over', ruleset: two, previous: one, rejected: 0 }], ['applied']],
  [
    'a removed one, whose file has come back with another case',
    [
      { kind: 'removed', previous: one, rejected: 0 },
      { kind: 'taken-over', ruleset: sample('A', '1'), previous: undefined, rejected: 0 },
    ],
    ['removed', 'look at a', 'applied'],
  ],
  ['a closed store', [new StoreError('closed', 'the server is shutting down')], []],
  ['a defect', [new TypeError('oops')], ['a changed rule file could not be applied']],
])('reports %s', async (_what, answers, said) => {
  expect(await told(['a'], answers)).toEqual(['look at a', ...said])
})

test('a full scan retries files that were not served', async () => {
  const rejected = [{ file: 'b.yaml', reason: '' }]
  expect(await told(['a'], [], true, rejected)).toEqual(['look at a', 'look at b'])
  expect(await told(['a'], [], false, rejected)).toEqual(['look at a'])
})
