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

test('without tenants all files are in the rules directory itself', () => {
  expect(tenantDirectory('/rules', undefined)).toBe('/rules')
})

test.each(['', '.', '..', 'a/b', '../b', 'a\0b'])('no entry of a directory is called %j', (entry) => {
  expect(() => entryPath('/rules', entry)).toThrow(expect.objectContaining({ code: 'invalid-name' }))
})

test('files are found under the names that a listing gives', () => {
  expect(entryPath('/rules', '..a b.json')).toBe('/rules/..a b.json')
})
