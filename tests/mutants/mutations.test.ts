import { expect, test } from 'vitest'
import { mutationsOf } from './mutations.ts'

/** Sources with each mutation of them. */
test.each<[source: string, mutants: readonly string[]]>([
  ['const a = b < 3', ['const a = b <= 3', 'const a = b < 4']],
  ['const a = b === c', ['const a = b !== c']],
  ['const a = b && !c', ['const a = b || !c', 'const a = b && c']],
  ['const a = b ?? c', ['const a = b && c']],
  ['const a = b - c * d', ['const a = b + c * d', 'const a = b - c / d']],
  ["const a = b + 'x'", ["const a = b + ''"]],
  ['const a = `${b}` + c', []],
  ['if (a) b()', ['if (true) b()', 'if (false) b()', 'if (a) ']],
  ['const a = b ? c : d', ['const a = true ? c : d', 'const a = false ? c : d']],
  ['const a = true', ['const a = false']],
  ['const a = (b: number) => { return b }', ['const a = (b: number) => { return undefined }']],
  ['const a = () => { return undefined }', []],
  ['const a = b.some((c) => c)', ['const a = b.every((c) => c)']],
  ['const a = [...b, c]', ['const a = [...[], c]']],
  ["const a = b as 'x'", []],
  ["type A = 'x' | 1", []],
  ["import { a } from 'b'", []],
  ["throw new Error('x' + 1)", []],
  ["'use strict'", []],
  ['const a = { b: 1 }', ['const a = { b: 2 }']],
])('%s', (source, mutants) => {
  const mutated = mutationsOf('a.ts', source).map(
    ({ start, end, replacement }) => source.slice(0, start) + replacement + source.slice(end),
  )
  expect(mutated).toEqual(mutants)
})

test('a source that cannot be read is refused by its name', () => {
  expect(() => mutationsOf('a.ts', 'const =')).toThrow('a.ts')
})
