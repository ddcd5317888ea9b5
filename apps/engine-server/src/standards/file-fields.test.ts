import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { ConfigurationFileError, FileFields, within } from './file-fields.ts'

/** The result of a reader, and the faults that it found. */
function reading<Result>(read: (fields: FileFields) => Result): { readonly value: Result; readonly faults: string } {
  const fields = new FileFields()
  const value = read(fields)
  try {
    fields.refuseFaults()
    return { value, faults: '' }
  } catch (error) {
    if (!(error instanceof ConfigurationFileError)) throw error
    return { value, faults: error.message }
  }
}

const strings = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`)

test('the first 20 faults are named', () => {
  const { faults } = reading((fields) => strings(25).forEach((name) => fields.fault(name, 'is wrong')))
  expect(faults.split('; ')).toEqual(
    strings(25)
      .slice(0, 20)
      .map((name) => `\`${name}\` is wrong`),
  )
})

describe('members', () => {
  const KNOWN = ['colour', 'size'] as const
  test.each<[what: string, value: Value | undefined, place: string, faults: string]>([
    ['known ones', { colour: 'red' }, 'shirt', ''],
    ['a misspelt one', { color: 1 }, 'shirt', '`shirt.color` is unknown: did you mean `colour`?'],
    ['a misspelt one of the file', { color: 1 }, '', '`color` is unknown: did you mean `colour`?'],
    ['one like no other', { weight: 1 }, 'shirt', '`shirt.weight` is unknown: there are `colour`, `size`'],
    ['a long one', { ['x'.repeat(90)]: 1 }, '', `\`${'x'.repeat(80)}\` is unknown: there are \`colour\`, \`size\``],
    ['none', undefined, 'shirt', '`shirt` must be an object, found nothing'],
    ['a file that is a list', [], '', 'the file must be an object, found a list'],
  ])('%s', (_, value, place, faults) => {
    expect(reading((fields) => fields.members(value, place, KNOWN)).faults).toBe(faults)
  })

  test('a value that is no object has none', () => {
    expect(reading((fields) => fields.members('text', 'shirt', KNOWN)).value).toEqual({})
    expect(reading((fields) => fields.members({ size: 3 }, 'shirt', KNOWN)).value).toEqual({ size: 3 })
  })
})

const TEXT_FAULT = '`a` must be a string of 1 to 1024 characters, found '

describe('text', () => {
  test.each<[what: string, value: Value | undefined, result: string | undefined, faults: string]>([
    ['absent', undefined, undefined, ''],
    ['one character', 'x', 'x', ''],
    ['1024 characters', 'x'.repeat(1024), 'x'.repeat(1024), ''],
    ['1025 characters', 'x'.repeat(1025), undefined, `${TEXT_FAULT}the string \`${'x'.repeat(80)}\``],
    ['empty', '', undefined, `${TEXT_FAULT}an empty string`],
    ['a number', 7, undefined, `${TEXT_FAULT}\`7\``],
    ['a list', [1, 2], undefined, `${TEXT_FAULT}a list of 2`],
  ])('%s', (_, value, result, faults) => {
    expect(reading((fields) => fields.text(value, 'a'))).toEqual({ value: result, faults })
  })

  test('one that is required', () => {
    expect(reading((fields) => fields.requiredText(undefined, 'a'))).toEqual({ value: '', faults: '`a` is missing' })
    expect(reading((fields) => fields.requiredText('x', 'a'))).toEqual({ value: 'x', faults: '' })
    expect(reading((fields) => fields.requiredText(1, 'a'))).toEqual({ value: '', faults: `${TEXT_FAULT}\`1\`` })
  })
})

describe('lists', () => {
  test.each<[what: string, value: Value | undefined, result: readonly string[] | undefined, faults: string]>([
    ['absent', undefined, undefined, ''],
    ['one text', ['x'], ['x'], ''],
    ['1000 texts', strings(1000), strings(1000), ''],
    ['1001 texts', strings(1001), undefined, '`a` must be a list of 1 to 1000 strings, found a list of 1001'],
    ['empty', [], undefined, '`a` must be a list of 1 to 1000 strings, found a list of 0'],
    ['a text', 'x', undefined, '`a` must be a list of 1 to 1000 strings, found the string `x`'],
    ['a repeated text', ['x', 'y', 'x'], ['x', 'y', 'x'], '`a[2]` repeats `x`'],
    [
      'two empty texts',
      ['', ''],
      ['', ''],
      [0, 1].map((at) => TEXT_FAULT.replace('`a`', `\`a[${at}]\``) + 'an empty string').join('; '),
    ],
  ])('texts: %s', (_, value, result, faults) => {
    expect(reading((fields) => fields.texts(value, 'a'))).toEqual({ value: result, faults })
  })

  const ITEMS = '`a` must be a list of 1 to 1000 items, found '
  test.each<[what: string, value: Value | undefined, count: number, faults: string]>([
    ['absent', undefined, 0, '`a` is missing'],
    ['one', [null], 1, ''],
    ['1000', strings(1000), 1000, ''],
    ['1001', strings(1001), 0, `${ITEMS}a list of 1001`],
    ['none', [], 0, `${ITEMS}a list of 0`],
    ['an object', {}, 0, `${ITEMS}an object`],
  ])('items: %s', (_, value, count, faults) => {
    const read = reading((fields) => fields.items(value, 'a'))
    expect([read.value.length, read.faults]).toEqual([count, faults])
  })
})

describe('integer', () => {
  const FAULT = '`a` must be a whole number from 2 to 5, found '
  test.each<[value: Value | undefined, result: number, faults: string]>([
    [undefined, 3, ''],
    [2, 2, ''],
    [5, 5, ''],
    [1, 3, `${FAULT}\`1\``],
    [6, 3, `${FAULT}\`6\``],
    [2.5, 3, `${FAULT}\`2.5\``],
    ['4', 3, `${FAULT}the string \`4\``],
  ])('%j', (value, result, faults) => {
    expect(reading((fields) => fields.integer(value, 'a', 2, 5, 3))).toEqual({ value: result, faults })
  })
})

describe('word', () => {
  test.each<[value: Value | undefined, result: string | undefined, faults: string]>([
    [undefined, undefined, ''],
    ['deny', 'deny', ''],
    ['allow', undefined, '`a` must be one of `deny`, `rules`, found the string `allow`'],
    [null, undefined, '`a` must be one of `deny`, `rules`, found `null`'],
  ])('%j', (value, result, faults) => {
    expect(reading((fields) => fields.word(value, 'a', ['deny', 'rules']))).toEqual({ value: result, faults })
  })
})

test('a place within another', () => {
  expect([within('', 'b'), within('a', 'b')]).toEqual(['b', 'a.b'])
})
