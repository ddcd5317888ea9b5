import { expect, test } from 'vitest'
import { isCompanion, MAX_RULE_FILE, readRuleFile } from './read.ts'

const reasonOf = (file: string, bytes: Uint8Array) => {
  const read = readRuleFile(file, bytes)
  return 'reason' in read ? read.reason : undefined
}

test('a file has at most 64 MiB', () => {
  const limit = 64 * 1024 * 1024
  expect(MAX_RULE_FILE).toBe(limit)
  const large = new Uint8Array(limit + 1)
  for (const file of ['a.json', 'a.yaml', 'a.engine'])
    expect(reasonOf(file, large)).toBe(`it has ${limit + 1} bytes, the limit is ${limit}`)
})

test.each(['a.json', 'a.yaml', 'a.yml'])('%s is UTF-8', (file) => {
  expect(reasonOf(file, Buffer.from('"ü"', 'latin1'))).toBe('it is not valid UTF-8')
  expect(reasonOf(file, Buffer.from('"ü"'))).toBeUndefined()
})

test('a JSON file keeps its text, and a YAML file has none', () => {
  expect(readRuleFile('a.json', Buffer.from('{"a": 1}'))).toEqual({ document: { a: 1 }, text: '{"a": 1}' })
  expect(readRuleFile('a.yml', Buffer.from('a: 1'))).toEqual({ document: { a: 1 }, text: undefined })
})

test.each(['a.json', 'a.yaml', 'a.engine'])('%s with other content has a reason', (file) => {
  expect(reasonOf(file, Buffer.from('{'))).toEqual(expect.any(String))
})

test.each([
  ['limit.cases.json', '[]', true],
  ['limit.contract.json', '{"fields": []}', true],
  ['limit.json', '[]', false],
  ['limit.cases.json', '{"config": {}}', false],
  ['limit.cases.json', '{"steps": []}', false],
  ['limit.cases.json', '{', false],
])('%s with the content %s accompanies a rule file: %s', (file, content, expected) => {
  expect(isCompanion(file, readRuleFile(file, Buffer.from(content)))).toBe(expected)
})
