import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** The questions of a newcomer in CONTRIBUTING.md, held to the files and names of their answers. */
const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
const [, section = ''] = /^## Where is it\?$([\s\S]*?)^## /m.exec(page) ?? []
const rows = Array.from(section.matchAll(/^\| (.+\?) \| (.+) \|$/gm), ([, question = '', answer = '']) => ({
  question,
  names: Array.from(answer.matchAll(/`([^`]+)`/g), ([, name = '']) => name),
}))

test('there are twenty questions', () => {
  expect(rows).toHaveLength(20)
})

test.each(rows)('$question', ({ names }) => {
  const files = names.filter((name) => name.includes('/'))
  expect(files.length).toBeGreaterThanOrEqual(1)
  expect(files.length).toBeLessThanOrEqual(2)
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
  const text = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
  const declared = (name: string) =>
    new RegExp(String.raw`\b(?:function|const|class|interface|type) \[?(?:.*\b)?${name}\b`).test(text)
  expect(names.filter((name) => !name.includes('/') && !declared(name))).toEqual([])
})
