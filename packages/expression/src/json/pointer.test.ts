import { expect, test } from 'vitest'
import { escapedKey, keysOfPointer } from './pointer.ts'

test.each<readonly [string, readonly string[]]>([
  ['', []],
  ['/', ['']],
  ['/steps/0', ['steps', '0']],
  ['/a~1b/m~0n', ['a/b', 'm~n']],
  ['/~01', ['~1']],
])('%j has the keys %j, which give it back', (pointer, keys) => {
  expect(keysOfPointer(pointer)).toEqual(keys)
  expect(keys.map((key) => `/${escapedKey(key)}`).join('')).toBe(pointer)
})
