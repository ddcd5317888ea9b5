import { expect, test } from 'vitest'
import { createComparison } from './changes.ts'
import { UNSETTLED } from './snapshot.ts'

type Look = Readonly<Record<string, string>>

/** The names reported at each look; `?`: another look is needed. */
function told(known: Look, looks: readonly Look[]): readonly string[] {
  const compare = createComparison(new Map(Object.entries(known)))
  return looks.map((look) => {
    const { names, isDoubtful } = compare(new Map(Object.entries(look)))
    return [...names].sort().join(' ') + (isDoubtful ? '?' : '')
  })
}

test.each<[what: string, known: Look, looks: readonly Look[], told: readonly string[]]>([
  ['nothing', { 'a.json': '1' }, [{ 'a.json': '1' }], ['']],
  ['a changed file', { 'a.json': '1', 'b.json': '1' }, [{ 'a.json': '2', 'b.json': '1' }], ['a']],
  ['a new file', {}, [{ 'a.json': '1' }, { 'a.json': '1' }], ['a', '']],
  ['a file that may change unseen', { 'a.json': UNSETTLED }, [{ 'a.json': UNSETTLED }, { 'a.json': '1' }], ['a', 'a']],
  ['one of two files of a name', { 'a.json': '1', 'a.yaml': '1' }, [{ 'a.yaml': '1' }], ['a']],
  ['a file in another form', { 'a.json': '1' }, [{ 'a.yaml': '1' }], ['a']],
  ['a removed file, at the second look', { 'a.json': '1' }, [{}, {}, {}], ['?', 'a', '']],
  ['a file that was missing for one poll', { 'a.json': '1' }, [{}, { 'a.json': '2' }, {}], ['?', 'a', '?']],
  ['a file that came back as it was', { 'a.json': '1' }, [{}, { 'a.json': '1' }, {}, {}], ['?', '', '?', 'a']],
  [
    'others next to a doubtful one',
    { 'a.json': '1', 'b.json': '1' },
    [{ 'b.json': '2' }, { 'b.json': '2' }],
    ['b?', 'a'],
  ],
])('reports %s', (_what, known, looks, names) => {
  expect(told(known, looks)).toEqual(names)
})
