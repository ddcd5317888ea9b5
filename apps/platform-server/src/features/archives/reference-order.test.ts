import { expect, test } from 'vitest'
import { byReference } from './reference-order.ts'

/** Items as `name:reference,reference`. */
test.each<[items: string, ordered: string, circular: string]>([
  ['', '', ''],
  ['a b c', 'a b c', ''],
  ['a:b b', 'b a', ''],
  ['a:b b:c c', 'c b a', ''],
  ['a:b,c b c', 'b c a', ''],
  ['a:c b:c c', 'c a b', ''],
  ['a:a', 'a', ''],
  ['a:stored', 'a', ''],
  ['a:b b:a c', 'c', 'a b'],
  ['a:b b:c c:b d:a e', 'e', 'a b c d'],
  ['a:b,b b', 'b a', ''],
])('%s is stored as `%s`, and in a cycle are `%s`', (items, ordered, circular) => {
  const read = (text: string) => text.split(' ').filter((one) => one !== '')
  const found = byReference(
    read(items).map((one) => ({ name: one.split(':')[0] ?? '', to: one.split(':')[1]?.split(',') ?? [] })),
    ({ to }) => to,
  )
  const names = (those: readonly { readonly name: string }[]) => those.map(({ name }) => name)
  expect([names(found.ordered), names(found.circular)]).toEqual([read(ordered), read(circular)])
})
