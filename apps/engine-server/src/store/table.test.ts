import { describe, expect, test } from 'vitest'
import { sample } from './store.testing.ts'
import { createTable } from './table.ts'

function tableOf(...names: readonly string[]) {
  const table = createTable()
  const shown: string[] = []
  table.onShown((name) => shown.push(name))
  const listed = () => Array.from(table.all(), ({ name, version }) => `${name} ${version}`)
  const set = (name: string, version = '1') => table.set(sample(name, version))
  for (const name of names) set(name)
  return { table, shown, listed, set }
}

describe('a list of rulesets', () => {
  test('is sorted by name, and follows each change', () => {
    const { table, listed, set } = tableOf('b', 'a')
    expect(listed()).toEqual(['a 1', 'b 1'])
    set('c')
    expect(listed()).toEqual(['a 1', 'b 1', 'c 1'])
    set('b', '2')
    expect(listed()).toEqual(['a 1', 'b 2', 'c 1'])
    table.remove('a')
    expect([listed(), table.size]).toEqual([['b 2', 'c 1'], 2])
    set('a', '3')
    expect(listed()).toEqual(['a 3', 'b 2', 'c 1'])
  })

  test('leaves out what is removed while it is read', () => {
    const { table } = tableOf('a', 'b', 'c')
    const found: string[] = []
    for (const { name } of table.all()) {
      found.push(name)
      table.remove('b')
    }
    expect(found).toEqual(['a', 'c'])
  })
})

describe('a name', () => {
  test('is taken in any other case, as long as its ruleset is there', () => {
    const { table } = tableOf('Tax')
    expect(() => table.assertFree('tax')).toThrow(expect.objectContaining({ code: 'conflict' }))
    expect(() => table.assertFree('Tax')).not.toThrow()
    expect(() => table.assertFree('fee')).not.toThrow()
    expect([table.holder('TAX'), table.get('tax'), table.get('Tax')?.name]).toEqual(['Tax', undefined, 'Tax'])
    table.remove('Tax')
    expect(() => table.assertFree('tax')).not.toThrow()
  })

  test('that is not there is not removed, nor is its holder', () => {
    const { table, shown } = tableOf('Tax')
    table.remove('tax')
    expect([table.holder('tax'), shown]).toEqual(['Tax', ['Tax']])
  })
})

test('each change and each removal is told, once', () => {
  const { table, shown, set } = tableOf('a')
  set('a', '2')
  table.remove('a')
  table.remove('a')
  expect(shown).toEqual(['a', 'a', 'a'])
})
