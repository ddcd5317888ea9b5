import { expect, test } from 'vitest'
import { FUNCTION_GROUPS } from './groups.ts'
import { groupOf } from './index.ts'

test.each(FUNCTION_GROUPS.flatMap(({ name, functions }) => functions.map((definition) => [definition, name] as const)))(
  'the core knows the group of $name, and needs nothing else of it',
  (definition, group) => {
    expect(groupOf(definition.name)).toBe(group)
    // Its JSON form would be unknown to the core.
    expect(definition.form).toBeUndefined()
  },
)

test('functions of the core have no group', () =>
  expect(['len', 'round', 'base64_encode'].map(groupOf)).toEqual([undefined, undefined, undefined]))
