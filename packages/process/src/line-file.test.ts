import { expect, test } from 'vitest'
import { readLines } from './line-file.ts'

test('entries are trimmed; blank lines and comments are skipped', () => {
  const taken: string[] = []
  readLines(' one \r\n\n# no entry\n\ttwo # part of it\n', (line) => void taken.push(line))
  expect(taken).toEqual(['one', 'two # part of it'])
})

test('every error has the number of its line in the file, from 1', () => {
  const read = () => readLines('bad\n\n# comment\ngood\nbad', (line) => (line === 'bad' ? 'it is bad' : undefined))
  expect(read).toThrow('line 1: it is bad; line 5: it is bad')
})
