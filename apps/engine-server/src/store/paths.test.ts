import { describe, expect, test } from 'vitest'
import { entryPath, ruleFileOf, tenantDirectory, versionsDirectory } from './paths.ts'

const BAD = ['', '.', '..', '../x', '../../evil', 'a/b', '/etc', 'a\0', '.versions', 'é', 'a b', 'x'.repeat(129)]

describe.each<[what: string, pathOf: (name: string) => string]>([
  ['the directory of a tenant', (name) => tenantDirectory('/rules', name)],
  ['the file of a ruleset', ruleFileOf],
  ['the versions of a ruleset', (name) => versionsDirectory('/rules', name)],
])('%s', (_what, pathOf) => {
  test.each([...BAD, 'tenants', 'Tenants'])('is not made of %j', (name) => {
    expect(() => pathOf(name)).toThrow(expect.objectContaining({ code: 'invalid-name' }))
  })

  test('is made of a name', () => {
    expect(pathOf('A-1_b')).toMatch(/^(\/rules\/)?(\.versions\/)?A-1_b(\.json)?$/)
  })
})

test.each<[what: string, pathOf: (name: string) => string, most: number]>([
  ['a tenant id', (name) => tenantDirectory('/rules', name), 64],
  ['a name of a ruleset', ruleFileOf, 128],
])('%s has at most %3$i characters', (_what, pathOf, most) => {
  expect(pathOf('x'.repeat(most))).toContain('x'.repeat(most))
  expect(() => pathOf('x'.repeat(most + 1))).toThrow(expect.objectContaining({ code: 'invalid-name' }))
})

test('without tenants all files are in the rules directory itself', () => {
  expect(tenantDirectory('/rules', undefined)).toBe('/rules')
})

test.each(['', '.', '..', 'a/b', '../b', 'a\0b'])('no entry of a directory is called %j', (entry) => {
  expect(() => entryPath('/rules', entry)).toThrow(expect.objectContaining({ code: 'invalid-name' }))
})

test('files are found under the names that a listing gives', () => {
  expect(entryPath('/rules', '..a b.json')).toBe('/rules/..a b.json')
})
