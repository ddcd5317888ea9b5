import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adultCheck } from './http/server.testing.ts'
import { runTool } from './programs.testing.ts'

const directory = mkdtempSync(join(tmpdir(), 'engine-show-'))
beforeAll(() => {
  writeFileSync(join(directory, 'rules.json'), JSON.stringify(adultCheck()))
  writeFileSync(join(directory, 'cases.json'), '[{"name": "a", "input": {"age": 20}, "expect": {"code": "ADULT"}}]')
  writeFileSync(join(directory, 'none.json'), '{}')
})
afterAll(() => rmSync(directory, { recursive: true }))
const show = (...args: string[]) => runTool('engine', ['show', ...args], directory)

test.each([
  [[], 'check (decision, entry) Old enough?\n  age >= 18 → yes\n'],
  [['--format', 'mermaid'], 's0 -->|"age #62;= 18"| s1'],
  [['--format', 'dot'], '"check" -> "yes" [label="age >= 18"'],
  [['--format', 'svg'], '>age &gt;= 18</text>'],
  [['--json'], '"label":"age >= 18"'],
  [['--cases', 'cases.json'], '  ✓ age >= 18 → yes\n  ✗ otherwise → no\n'],
  [['--cases', 'cases.json', '--format', 'svg'], '#fbdcdc'],
])('engine show %j', async (args, part) => {
  expect(await show('rules.json', ...args)).toEqual({ code: 0, stdout: expect.stringContaining(part), stderr: '' })
})

test('writes to a file', async () => {
  expect(await show('rules.json', '--format', 'svg', '-o', 'out.svg')).toMatchObject({ code: 0, stdout: '' })
  expect(readFileSync(join(directory, 'out.svg'), 'utf8')).toMatch(/^<svg/)
})

test.each([
  [['none.json'], 1, 'none.json'],
  [['rules.json', '--cases', 'none.json'], 1, 'none.json: `cases` is missing: the list of cases'],
  [['rules.json', '--format', 'png'], 2, 'Allowed choices are text, mermaid, dot, svg, json'],
])('%j ends with %i', async (args, code, message) => {
  expect(await show(...args)).toMatchObject({ code, stderr: expect.stringContaining(message) })
})
