import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const KNOWN = ['starts_with', 'ends_with', 'contains', 'len', 'lower', 'upper', 'round', 'next_step', 'description']

test.each([
  ['startswith', 'starts_with'],
  ['start_with', 'starts_with'],
  ['UPPER', 'upper'],
  ['lne', 'len'],
  ['conatins', 'contains'],
  ['nextStep', 'next_step'],
  ['descripton', 'description'],
  ['xyz', undefined],
  ['', undefined],
  ['len', undefined],
  ['completely_else', undefined],
])('%s was probably meant to be %s', (name, expected) => expect(nearest(name, KNOWN)).toBe(expected))
